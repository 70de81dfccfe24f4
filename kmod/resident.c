// SPDX-License-Identifier: GPL-2.0
/*
 * uwind_resident1: the code that the kernel may still call when uwind.ko has gone.
 *
 * A queued task_work cannot be taken back, and runs when its task next returns to
 * user space, perhaps in an hour; nothing that an unprivileged task cannot delay
 * tells when no task is in a function. So the function is in a module that cannot be
 * unloaded, and calls uwind.ko with a reference only. resident.h has the contract.
 */
#include "resident.h"

#ifdef UWIND_STALL
#include <linux/delay.h>

static unsigned int stall_ms;
module_param(stall_ms, uint, 0644);
MODULE_PARM_DESC(stall_ms, "for how many milliseconds work is held wherever it holds no reference, at most 100 (0)");

#define uw_resident_stall() mdelay(min(READ_ONCE(stall_ms), 100u))
#else
#define uw_resident_stall() do { } while (0)
#endif

/*
 * The owner's memory is there as long as this sees QUEUED: the owner waits for a
 * grace period after the last work is LEFT.
 */
static const struct uw_resident_user *uw_resident_user_get(const struct uw_resident_work *work)
{
	const struct uw_resident_user *user = NULL;

	rcu_read_lock();
	if (READ_ONCE(work->state) == UW_RESIDENT_QUEUED) {
		user = work->user;
		uw_resident_stall();
		if (!try_module_get(user->owner))
			user = NULL;
	}
	rcu_read_unlock();
	return user;
}

void uw_resident1_run(struct callback_head *head)
{
	struct uw_resident_work *work = container_of(head, struct uw_resident_work, head);
	const struct uw_resident_user *user;
	struct module *owner;

	uw_resident_stall();
	user = uw_resident_user_get(work);
	if (!user) {
		uw_resident_stall();
		if (cmpxchg(&work->state, UW_RESIDENT_QUEUED, UW_RESIDENT_IDLE) != UW_RESIDENT_QUEUED)
			uw_resident_free(work);
		return;
	}
	owner = user->owner;
	WRITE_ONCE(work->state, UW_RESIDENT_IDLE);
	user->run(work);
	module_put(owner);
	uw_resident_stall();
}
EXPORT_SYMBOL_GPL(uw_resident1_run);

/* Its own grace period is over, so that its rcu_head is free. */
void uw_resident1_free_notifier(struct mmu_notifier *notifier)
{
	kfree_rcu(notifier, rcu);
}
EXPORT_SYMBOL_GPL(uw_resident1_free_notifier);

/* Without an exit function the kernel never unloads it; with a reference modprobe -r does not even try. */
static int __init uw_resident_init(void)
{
	__module_get(THIS_MODULE);
	return 0;
}

module_init(uw_resident_init);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What remains of uwind when it is unloaded: frees the work of tasks that sleep");
MODULE_VERSION("1");
