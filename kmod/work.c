// SPDX-License-Identifier: GPL-2.0
/*
 * Task work that survives the module.
 *
 * A queued task_work cannot be taken back by a module, and runs when its task
 * next returns to user space: perhaps in an hour. If each held a reference to
 * the module, nobody could unload it while anyone sleeps; if module exit waited
 * for them, rmmod would wait for the shell that waits for rmmod.
 *
 * So a queued work holds no reference. Whoever changes head.func away from
 * uw_work_enter() owns the object:
 *
 *   uw_work_enter()  got a module reference: the module stays, and runs it
 *   uw_work_enter()  no reference, module exit is under way: marks it NULL and
 *                    leaves it to uw_work_exit(); if that gave it up before,
 *                    it finds release() there, and calls it
 *   uw_work_exit()   puts release() there, kernel text that outlives us: the
 *                    kernel calls it some day with the object's address
 *
 * Nothing runs without the reference, so uw_work_exit() may drop what a work
 * refers to before it gives it up. At the end it waits until no task is inside
 * uw_work_enter(): RCU-tasks covers what runs without the reference, as that
 * never sleeps.
 */
#include <linux/module.h>
#include <linux/spinlock.h>

#include "work.h"

static DEFINE_SPINLOCK(all_lock);
static LIST_HEAD(all_works);

static void uw_work_enter(struct callback_head *head)
{
	struct uw_work *work = container_of(head, struct uw_work, head);

	if (!try_module_get(THIS_MODULE)) {
		if (cmpxchg(&head->func, uw_work_enter, NULL) != uw_work_enter)
			work->kind->release(head);
		return;
	}
	WRITE_ONCE(head->func, NULL);
	work->kind->run(work);
	module_put(THIS_MODULE);
}

void uw_work_init(struct uw_work *work, const struct uw_work_kind *kind)
{
	work->head.func = NULL;
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
	work->kind->release(&work->head);
}

int uw_work_queue(struct uw_work *work, struct task_struct *task)
{
	int err;

	WRITE_ONCE(work->head.func, uw_work_enter);
	err = task_work_add(task, &work->head, TWA_RESUME);
	if (err)
		WRITE_ONCE(work->head.func, NULL);
	return err;
}

void uw_work_exit(void)
{
	struct uw_work *work, *next;

	list_for_each_entry_safe(work, next, &all_works, all) {
		work->kind->drop(work);
		list_del_init(&work->all);
		if (cmpxchg(&work->head.func, uw_work_enter, work->kind->release) != uw_work_enter)
			list_add(&work->all, &all_works);
	}
	uw_synchronize_text();
	list_for_each_entry_safe(work, next, &all_works, all)
		work->kind->release(&work->head);
}
