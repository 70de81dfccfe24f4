// SPDX-License-Identifier: GPL-2.0
/*
 * Spaces: one per mm that was walked or that somebody bound ranges in.
 *
 * Two kinds of readers meet a space. Those of its own mm hold mm_users: for them
 * it stays, as nothing but the end of the mm ends it. Those who look for another
 * mm's space come past it in the hash table, under RCU, and may be held up there
 * for long (a virtual CPU without a processor, PREEMPT_RT). So it is taken out of
 * the table first, and freed after a grace period of RCU. What mmu notifiers see
 * is an object of its own, which goes after their grace period: see bound.c.
 *
 * No callback reports the end of an mm, as that would need a notifier in each. A
 * space holds a reference to its mm_struct, so that its address is not used
 * again, and a sweep every two seconds ends those that have no users; an mm with
 * bound ranges calls it at once, and so do many new spaces.
 *
 * What is cached of an mm is true until its mappings change. Kernels with per-VMA
 * locks count changes: mm_lock_seq moves when a writer takes mmap_lock, is odd as
 * long as the writer has it, and moves again. So a range that was compared with its
 * VMA at the present count is true, without any lock; at another, it is compared
 * again. While the count is odd nothing is true, as mappings are compared under
 * mmap_lock, when it is even: mremap(), for one, moves pages to where another mapping
 * was, and they can be entered there before it gives the lock back.
 * Other kernels count nothing, so each walk compares each range once: it counts
 * walks of that mm, and a range that was compared in this walk or a later one is
 * true. Only what this walk has found true is believed by it.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rhashtable.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "access/quota.h"
#include "stall.h"
#include "store/space.h"

#define UW_MAX_SPACES   32768
#define UW_SWEEP_PERIOD (2 * HZ)
#define UW_SWEEP_SOON   (HZ / 10) /* where something waits for it, but not again and again */
#define UW_SWEEP_SPACES 1024      /* new ones, after which it does not wait; looked at without a pause */
#define UW_WATCH_TRIES  250       /* then the holder of a lock of the mm's mappings has held it for long */
#define UW_WATCH_PAUSE  msecs_to_jiffies(4)

/* Charged to the memory cgroup of the task that is walked, or binds. */
#define UW_SPACE_GFP (GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

static struct rhashtable spaces;
static atomic_t nr_spaces;
static atomic64_t last_number;

static void space_sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_work, space_sweep);

/* What is compared may be another mm's space, which ends meanwhile. */
static int space_is_other(struct rhashtable_compare_arg *arg, const void *object)
{
	const struct uw_space *space = object;

	if (space->mm == *(struct mm_struct *const *)arg->key)
		return 0;
	uw_stall(UW_STALL_SPACE_PASSED);
	return 1;
}

static const struct rhashtable_params table_params = {
	.key_len = sizeof(struct mm_struct *),
	.key_offset = offsetof(struct uw_space, mm),
	.head_offset = offsetof(struct uw_space, node),
	.obj_cmpfn = space_is_other,
	.automatic_shrinking = true,
};

struct uw_space *uw_space_find(struct mm_struct *mm)
{
	return rhashtable_lookup_fast(&spaces, &mm, table_params);
}

/* Root's are nobody's. */
static int space_charge(struct uw_space *space)
{
	struct uw_quota *quota;
	int err;

	if (uid_eq(current_uid(), GLOBAL_ROOT_UID))
		return 0;
	quota = uw_quota_get(UW_SPACE_GFP);
	if (!quota)
		return -ENOMEM;
	err = uw_quota_charge(quota, UW_QUOTA_SPACES, 1);
	if (!err)
		space->quota = quota;
	uw_quota_put(quota);
	return err;
}

static struct uw_space *space_create(struct mm_struct *mm)
{
	struct uw_space *space = kzalloc(sizeof(*space), UW_SPACE_GFP);
	int err = space ? space_charge(space) : -ENOMEM;

	if (err) {
		kfree(space);
		return ERR_PTR(err);
	}
	mmgrab(mm);
	space->number = atomic64_inc_return(&last_number);
	space->mm = mm;
	uw_range_set_init(&space->mapped);
	uw_range_set_init(&space->readable);
	return space;
}

static void space_free(struct uw_space *space)
{
	mmdrop(space->mm);
	uw_quota_uncharge(space->quota, UW_QUOTA_SPACES, 1);
	kfree_rcu(space, rcu);
}

/* Nobody else finds it any more, and its mm has no users, or the module goes. */
static void space_end(struct uw_space *space)
{
	if (space->bound)
		uw_bound_destroy(space->bound);
	uw_range_set_destroy(&space->mapped);
	uw_range_set_destroy(&space->readable);
	space_free(space);
	atomic_dec(&nr_spaces);
}

/* One that is due sooner stays so. */
static void space_sweep_soon(void)
{
	if (!delayed_work_pending(&sweep_work) ||
	    time_after(READ_ONCE(sweep_work.timer.expires), jiffies + UW_SWEEP_SOON))
		mod_delayed_work(system_wq, &sweep_work, UW_SWEEP_SOON);
}

static void space_expect_end(u32 count)
{
	if (count % UW_SWEEP_SPACES)
		schedule_delayed_work(&sweep_work, round_jiffies_relative(UW_SWEEP_PERIOD));
	else
		mod_delayed_work(system_wq, &sweep_work, 0);
}

/* Of two that make it at once, the second takes the first one's. */
static struct uw_space *space_insert(struct uw_space *fresh)
{
	struct uw_space *space;

	space = rhashtable_lookup_get_insert_fast(&spaces, &fresh->node, table_params);
	if (!space) {
		space_expect_end(atomic_inc_return(&nr_spaces));
		return fresh;
	}
	space_free(fresh);
	return IS_ERR(space) ? ERR_PTR(-ENOMEM) : space;
}

struct uw_space *uw_space_get(struct mm_struct *mm)
{
	struct uw_space *space = uw_space_find(mm);

	if (space)
		return space;
	space = atomic_read(&nr_spaces) < UW_MAX_SPACES ? space_create(mm) : ERR_PTR(-ENOSPC);
	if (!IS_ERR(space))
		return space_insert(space);
	if (PTR_ERR(space) != -ENOMEM)
		space_sweep_soon();
	return space;
}

static int space_try_to_watch(struct uw_space *space)
{
	struct uw_bound *bound;
	int err = 0;

	if (mmap_write_lock_killable(space->mm))
		return -EINTR;
	if (!space->bound) {
		bound = uw_bound_create(space->mm, space_sweep_soon);
		if (IS_ERR(bound))
			err = PTR_ERR(bound);
		else
			smp_store_release(&space->bound, bound);
	}
	mmap_write_unlock(space->mm);
	return err;
}

int uw_space_watch(struct uw_space *space)
{
	u32 tries = UW_WATCH_TRIES;
	int err;

	lockdep_assert_not_held(&space->mm->mmap_lock);
	if (uw_space_bound(space))
		return 0;
	err = space_try_to_watch(space);
	while (err == -EBUSY && --tries) {
		if (schedule_timeout_killable(UW_WATCH_PAUSE) && fatal_signal_pending(current))
			return -EINTR;
		err = space_try_to_watch(space);
	}
	return err;
}

u32 uw_space_count(void)
{
	return atomic_read(&nr_spaces);
}

/* Takes out of the table what has ended, or all. An entry that moves meanwhile is met by the next sweep. */
static void space_take_ended(struct rhashtable_iter *iter, struct list_head *ended, bool all)
{
	struct uw_space *space;
	u32 i;

	rhashtable_walk_start(iter);
	for (i = 1; (space = rhashtable_walk_next(iter)); i++) {
		if (!IS_ERR(space) && (all || !atomic_read(&space->mm->mm_users)) &&
		    !rhashtable_remove_fast(&spaces, &space->node, table_params))
			list_add(&space->ended, ended);
		if (i % UW_SWEEP_SPACES)
			continue;
		rhashtable_walk_stop(iter);
		cond_resched();
		rhashtable_walk_start(iter);
	}
	rhashtable_walk_stop(iter);
}

static void space_end_some(bool all)
{
	struct uw_space *space, *next;
	struct rhashtable_iter iter;
	LIST_HEAD(ended);

	rhashtable_walk_enter(&spaces, &iter);
	space_take_ended(&iter, &ended, all);
	rhashtable_walk_exit(&iter);
	if (!list_empty(&ended))
		uw_stall_asleep(UW_STALL_SPACES_TAKEN);
	list_for_each_entry_safe(space, next, &ended, ended) {
		space_end(space);
		cond_resched();
	}
}

static void space_sweep(struct work_struct *work)
{
	space_end_some(false);
	if (atomic_read(&nr_spaces))
		schedule_delayed_work(&sweep_work, round_jiffies_relative(UW_SWEEP_PERIOD));
}

int uw_space_init(void)
{
	return rhashtable_init(&spaces, &table_params);
}

/*
 * Nobody makes spaces any more; until all are gone, notifiers may call for a sweep. What
 * a sweep has taken out of the table, it must end: rmmod may have real-time priority,
 * and the sweep's worker this very CPU, so it sleeps.
 */
void uw_space_exit(void)
{
	cancel_delayed_work_sync(&sweep_work);
	space_end_some(true);
	while (atomic_read(&nr_spaces)) {
		msleep(1);
		space_end_some(true);
	}
	mmu_notifier_synchronize();
	cancel_delayed_work_sync(&sweep_work);
	rhashtable_destroy(&spaces);
}
