// SPDX-License-Identifier: GPL-2.0
/*
 * fork() and clone() under the sched_process_fork tracepoint.
 *
 * The probe may not sleep, and the child's mm has no notifier yet. So a child
 * whose parent has bound ranges gets work to do before its first instruction:
 * to make its own space and bind what it has inherited. Meanwhile the parent may
 * unmap or remove its own: the child has the parent's array of that moment, and
 * the number of deaths until then. What the parent bound between copying its
 * memory and the tracepoint may not exist in the child; binding checks that.
 * Threads of users who record without privilege get their counters in the same way.
 *
 * Tracepoints are not preempted, and PREEMPT_RT's allocator and spinlocks sleep:
 * the probe takes a work that lies ready, and a worker makes new ones. After a
 * moment without any, twice as many are kept ready.
 */
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "request/work.h"
#include "session/fork.h"
#include "session/running.h"
#include "stall.h"
#include "stats.h"
#include "store/ranges.h"
#include "store/registry.h"
#include "trigger/tracepoint.h"

#define UW_FORK_READY     256  /* works, at first */
#define UW_FORK_MAX_READY 8192 /* at most */

/* Its own kmalloc() object. Owned by the list of those that lie ready, then by the child that it is queued for. */
struct uw_fork_work {
	struct uw_work work;      /* Order: first member */
	struct llist_node node;   /* while it lies ready */
	struct uw_ranges *ranges; /* holds a reference, while queued; NULL: none to inherit */
	u64 deaths;               /* the set's number when the child was made. Set before it is queued */
	bool adopt;               /* a session wants to count the child in. Set before it is queued */
};

static struct tracepoint *fork_tracepoint;
static LLIST_HEAD(ready);
static DEFINE_RAW_SPINLOCK(take_lock); /* an llist lets one take at a time */
static atomic_t nr_ready;
static int wanted = UW_FORK_READY; /* Protected by: take_lock to write */

static int fork_bind(const struct uw_fork_work *fork)
{
	int err;

	uw_stall_asleep(UW_STALL_CHILD_BINDS);
	err = uw_registry_inherit(fork->ranges, fork->deaths);
	return err == -EINTR ? 0 : err; /* it is being killed */
}

static void fork_give(struct uw_fork_work *fork)
{
	atomic_inc(&nr_ready);
	llist_add(&fork->node, &ready);
}

static void fork_run(struct uw_work *work)
{
	struct uw_fork_work *fork = container_of(work, struct uw_fork_work, work);

	if (fork->ranges && current->mm && fork_bind(fork))
		uw_stats_child_missed();
	if (fork->adopt)
		uw_running_adopt();
	if (fork->ranges)
		uw_ranges_put(fork->ranges);
	fork->ranges = NULL;
	if (atomic_read(&nr_ready) < READ_ONCE(wanted))
		fork_give(fork);
	else
		uw_work_free(work);
}

static void fork_drop(struct uw_work *work)
{
	struct uw_ranges *ranges = container_of(work, struct uw_fork_work, work)->ranges;

	if (ranges)
		uw_ranges_put(ranges);
}

static const struct uw_work_kind fork_kind = {
	.run = fork_run,
	.drop = fork_drop,
	.memory = UW_RESIDENT_KMALLOC,
};

static void fork_refill(struct work_struct *refill)
{
	while (atomic_read(&nr_ready) < READ_ONCE(wanted)) {
		struct uw_fork_work *fork = kzalloc(sizeof(*fork), GFP_KERNEL);

		if (!fork)
			return; /* the next child asks again */
		uw_work_init(&fork->work, &fork_kind);
		fork_give(fork);
	}
}

static DECLARE_WORK(refill_work, fork_refill);

static struct uw_fork_work *fork_take(void)
{
	struct llist_node *node;

	raw_spin_lock(&take_lock);
	node = llist_del_first(&ready);
	if (!node && wanted < UW_FORK_MAX_READY)
		WRITE_ONCE(wanted, wanted * 2);
	raw_spin_unlock(&take_lock);
	if (node)
		atomic_dec(&nr_ready);
	if (atomic_read(&nr_ready) < READ_ONCE(wanted) / 2)
		schedule_work(&refill_work);
	return node ? llist_entry(node, struct uw_fork_work, node) : NULL;
}

/* What a child's parent has bound, if the child has memory of its own. Without a reference: to put one may sleep. */
static struct uw_range_set *fork_bound(struct task_struct *parent, struct task_struct *child)
{
	struct uw_range_set *set = NULL;

	if (child->mm && child->mm != parent->mm)
		set = uw_registry_bound(parent->mm);
	return set && rcu_access_pointer(set->ranges) ? set : NULL;
}

static void fork_queue(struct uw_range_set *set, bool adopt, struct task_struct *child)
{
	struct uw_fork_work *fork = fork_take();

	if (!fork) {
		uw_stats_child_missed();
		return;
	}
	fork->adopt = adopt;
	if (set) {
		fork->deaths = READ_ONCE(set->deaths);
		fork->ranges = uw_range_set_get(set);
	}
	if (!fork->ranges && !adopt)
		fork_give(fork);
	else
		WARN_ON_ONCE(uw_work_queue(&fork->work, child)); /* it has not run yet */
}

static void fork_probe(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct uw_range_set *set;
	bool adopt;

	if (thread_group_leader(child))
		uw_running_fork(parent, child);
	set = thread_group_leader(child) ? fork_bound(parent, child) : NULL;
	adopt = uw_running_wants_child(child);
	if (set || adopt)
		fork_queue(set, adopt, child);
}

int uw_fork_init(void)
{
	fork_tracepoint = uw_tracepoint_find("sched_process_fork");
	if (!fork_tracepoint)
		return -ENOENT;
	fork_refill(NULL);
	return tracepoint_probe_register(fork_tracepoint, fork_probe, NULL);
}

void uw_fork_exit(void)
{
	tracepoint_probe_unregister(fork_tracepoint, fork_probe, NULL);
	rcu_expedite_gp();
	uw_tracepoint_synchronize();
	rcu_unexpedite_gp();
	cancel_work_sync(&refill_work);
}
