// SPDX-License-Identifier: GPL-2.0
/*
 * uwind_resident1: the code that the kernel may still call when uwind.ko has gone.
 *
 * A queued task_work cannot be taken back, and runs when its task next returns to
 * user space, perhaps in an hour; nothing that an unprivileged task cannot delay
 * reports when no task is in a function. So the function is in a module that cannot be
 * unloaded, and calls uwind.ko with a reference only. Callbacks of RCU wait for as long
 * as others keep a processor busy, so they are also here. resident.h has the contract.
 */
#include "resident.h"

/*
 * The owner's memory is there as long as this sees QUEUED: the owner waits for a
 * grace period after the last work is LEFT.
 */
static const struct uw_resident_user *resident_user_get(const struct uw_resident_work *work)
{
	const struct uw_resident_user *user = NULL;

	rcu_read_lock();
	if (READ_ONCE(work->state) == UW_RESIDENT_QUEUED) {
		user = work->user;
		if (!try_module_get(user->owner))
			user = NULL;
	}
	rcu_read_unlock();
	return user;
}

void uw_resident1_run(struct callback_head *head)
{
	struct uw_resident_work *work = container_of(head, struct uw_resident_work, head);
	const struct uw_resident_user *user = resident_user_get(work);
	struct module *owner;

	if (!user) {
		if (cmpxchg(&work->state, UW_RESIDENT_QUEUED, UW_RESIDENT_IDLE) != UW_RESIDENT_QUEUED)
			uw_resident_free(work);
		return;
	}
	owner = user->owner;
	WRITE_ONCE(work->state, UW_RESIDENT_IDLE);
	user->run(work);
	module_put(owner);
}
EXPORT_SYMBOL_GPL(uw_resident1_run);

/* Its own grace period is over, so that its rcu_head is free. */
void uw_resident1_free_notifier(struct mmu_notifier *notifier)
{
	kfree_rcu(notifier, rcu);
}
EXPORT_SYMBOL_GPL(uw_resident1_free_notifier);

void uw_resident1_settle(struct rcu_head *rcu)
{
	struct uw_resident_debt *debt = container_of(rcu, struct uw_resident_debt, rcu);
	struct uw_resident_account *account;

	for (account = debt->account; account; account = account->all)
		atomic64_dec(&account->owed);
	uw_resident_account_put(debt->account);
	kfree(debt);
}
EXPORT_SYMBOL_GPL(uw_resident1_settle);

/* Without an exit function the kernel never unloads it; with a reference modprobe -r does not even try. */
static int __init resident_init(void)
{
	__module_get(THIS_MODULE);
	return 0;
}

module_init(resident_init);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("What remains of uwind when it is unloaded: frees the work of tasks that sleep");
MODULE_VERSION("1");
