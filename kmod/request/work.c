// SPDX-License-Identifier: GPL-2.0
/*
 * Task work that survives the module.
 *
 * A queued task_work cannot be taken back by a module, and runs when its task
 * next returns to user space: perhaps in an hour. If each held a reference to
 * the module, nobody could unload it while anyone sleeps; if module exit waited
 * for them, rmmod would wait for the shell that waits for rmmod. Nor can it wait
 * until no task is inside a function of ours: RCU-tasks, which could detect that,
 * waits for each task to sleep or to return, and any user can delay that at will,
 * by a read() of a gigabyte of zeros.
 *
 * So a queued work holds no reference and points to no function of ours, but into
 * uwind_resident1.ko, which stays loaded. That calls us with a reference, and frees
 * what we have left when we are gone: see resident.h.
 *
 * Nothing runs without the reference, so uw_work_exit() may drop what a work
 * refers to before it gives it up.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>

#include "request/work.h"

static DEFINE_SPINLOCK(all_lock);
static LIST_HEAD(all_works);

static void work_run(struct uw_resident_work *resident)
{
	struct uw_work *work = container_of(resident, struct uw_work, resident);

	work->kind->run(work);
}

static const struct uw_resident_user user = { .owner = THIS_MODULE, .run = work_run };

void uw_work_init(struct uw_work *work, const struct uw_work_kind *kind)
{
	work->resident.head.func = uw_resident1_run;
	work->resident.user = &user;
	work->resident.state = UW_RESIDENT_IDLE;
	work->resident.memory = kind->memory;
	work->kind = kind;
	spin_lock(&all_lock);
	list_add(&work->all, &all_works);
	spin_unlock(&all_lock);
}

void uw_work_free(struct uw_work *work)
{
	spin_lock(&all_lock);
	list_del(&work->all);
	spin_unlock(&all_lock);
	uw_resident_free(&work->resident);
}

int uw_work_queue(struct uw_work *work, struct task_struct *task)
{
	int err;

	WRITE_ONCE(work->resident.state, UW_RESIDENT_QUEUED);
	err = task_work_add(task, &work->resident.head, TWA_RESUME);
	if (err)
		WRITE_ONCE(work->resident.state, UW_RESIDENT_IDLE);
	return err;
}

void uw_work_exit(void)
{
	struct uw_work *work, *next;

	list_for_each_entry_safe(work, next, &all_works, all) {
		work->kind->drop(work);
		/* Once it is LEFT, the task that runs it may free it. */
		list_del(&work->all);
		if (cmpxchg(&work->resident.state, UW_RESIDENT_QUEUED, UW_RESIDENT_LEFT) != UW_RESIDENT_QUEUED)
			uw_resident_free(&work->resident);
	}
	/* Someone may have seen QUEUED, and be about to try for a reference. */
	synchronize_rcu_expedited();
}
