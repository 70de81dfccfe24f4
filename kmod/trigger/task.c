// SPDX-License-Identifier: GPL-2.0
/*
 * perf would let counters be inherited, but then a thread that is made while its
 * maker gets a counter has none, or two. So each thread has its own, made by
 * the first that meets the thread:
 *
 *   - enabling the session: all threads that there are;
 *   - the thread itself, before its first instruction: the fork probe gives it the
 *     work (fork.c);
 *   - a search each second: those that have changed their credentials, or whose
 *     probe found no work.
 *
 * The task that claims a slot for a thread, under the lock, makes its counter, without it:
 * nobody waits for somebody who sleeps. A counter refers to its task, so as long as
 * it exists no other task has that address. perf ends a counter, but does not free
 * it, when its thread exits or executes a program with privilege.
 */
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "access/quota.h"
#include "stats.h"
#include "trigger/counter.h"
#include "trigger/task.h"
#include "trigger/trigger.h"

#define UW_TASK_BITS   13 /* twice as many slots as one user's counters */
#define UW_TASK_PROBES 32
#define UW_TASK_BATCH  64 /* threads that a search looks for at a time */

/* Claimed, without a counter yet; or with one. Protected by: the trigger's lock. */
struct task_slot {
	struct task_struct *task;      /* whose counter. Compared only; NULL: free */
	struct uw_counter counter;     /* event is read by the sweep without the lock, too */
	struct uw_resident_debt *debt; /* the counter's charge. Owned while there is a counter */
};

enum trigger_task_state {
	TRIGGER_IDLE, /* no counters yet */
	TRIGGER_RUNS,
	TRIGGER_CLOSED, /* no counters any more */
};

/* Members are constant while it exists, unless their comments say otherwise. */
struct trigger_task {
	struct uw_trigger base; /* nr_failed is protected by: lock */
	struct uw_quota *quota; /* each counter is charged to it. Lifetime: longer than the trigger's */
	struct perf_event_attr attr;
	spinlock_t lock;               /* Order: innermost */
	enum trigger_task_state state; /* Protected by: lock to write. Read anywhere by READ_ONCE() */
	struct task_slot *slots;       /* owned. What is in it is protected by: lock */
	unsigned long searched;        /* jiffies of the last search. Used by the sweep only */
};

static struct task_slot *thread_slot_at(const struct trigger_task *trigger, const struct task_struct *task, u32 probe)
{
	u32 first = hash_ptr(task, UW_TASK_BITS);

	return &trigger->slots[(first + probe) & ((1 << UW_TASK_BITS) - 1)];
}

/* The slot of task; else *free is one that it may have, or NULL. */
static struct task_slot *thread_slot_of(const struct trigger_task *trigger, const struct task_struct *task,
					struct task_slot **free)
{
	u32 i;

	lockdep_assert_held(&trigger->lock);
	*free = NULL;
	for (i = 0; i < UW_TASK_PROBES; i++) {
		struct task_slot *slot = thread_slot_at(trigger, task, i);

		if (slot->task == task)
			return slot;
		if (!slot->task && !*free)
			*free = slot;
	}
	return NULL;
}

/* Threads are to be counted in, and this one is not. */
static bool thread_is_missing(struct trigger_task *trigger, const struct task_struct *task)
{
	struct task_slot *free;
	bool missing;

	spin_lock(&trigger->lock);
	missing = trigger->state == TRIGGER_RUNS && !thread_slot_of(trigger, task, &free);
	spin_unlock(&trigger->lock);
	return missing;
}

/* -EEXIST: somebody else was faster; -ENOSPC: no room. */
static struct task_slot *thread_claim(struct trigger_task *trigger, struct task_struct *task)
{
	struct task_slot *slot;

	spin_lock(&trigger->lock);
	if (trigger->state != TRIGGER_RUNS || thread_slot_of(trigger, task, &slot))
		slot = ERR_PTR(-EEXIST);
	else if (!slot)
		slot = ERR_PTR(-ENOSPC);
	else
		slot->task = task;
	spin_unlock(&trigger->lock);
	return slot;
}

/* Put the counter where it belongs, unless it is an error or comes too late: returned then. */
static struct perf_event *thread_settle(struct trigger_task *trigger, struct task_slot *slot, struct perf_event *event,
					struct uw_resident_debt *debt)
{
	spin_lock(&trigger->lock);
	if (IS_ERR(event) || trigger->state == TRIGGER_CLOSED) {
		slot->task = NULL;
	} else {
		slot->counter.event = event;
		slot->debt = debt;
		event = NULL;
	}
	spin_unlock(&trigger->lock);
	return event;
}

static int thread_create(struct trigger_task *trigger, struct task_struct *task, struct uw_resident_debt *debt)
{
	struct task_slot *slot = thread_claim(trigger, task);
	struct perf_event_attr attr = trigger->attr;
	struct perf_event *event;

	if (IS_ERR(slot))
		return PTR_ERR(slot);
	event = uw_counter_create(&slot->counter, trigger->base.owner, &attr, -1, task);
	event = thread_settle(trigger, slot, event, debt);
	if (IS_ERR_OR_NULL(event))
		return PTR_ERR_OR_ZERO(event);
	perf_event_release_kernel(event);
	return -EEXIST;
}

static void thread_count_failure(struct trigger_task *trigger)
{
	spin_lock(&trigger->lock);
	WRITE_ONCE(trigger->base.nr_failed, trigger->base.nr_failed + 1);
	spin_unlock(&trigger->lock);
	uw_stats_counter_failed();
}

/* The caller holds a reference to task, or is it. */
static int thread_count_in(struct trigger_task *trigger, struct task_struct *task)
{
	struct uw_resident_debt *debt;
	int err;

	if (!thread_is_missing(trigger, task))
		return 0;
	debt = uw_quota_charge_counter(trigger->quota);
	err = PTR_ERR_OR_ZERO(debt);
	if (!err) {
		err = thread_create(trigger, task, debt);
		if (err)
			uw_quota_settle_counter(trigger->quota, debt);
	}
	if (err == -EEXIST || err == -ESRCH) /* it has one, or has exited */
		return 0;
	if (err)
		thread_count_failure(trigger);
	return err;
}

static void thread_drop(struct trigger_task *trigger, struct task_slot *slot)
{
	struct uw_resident_debt *debt;
	struct perf_event *event;

	spin_lock(&trigger->lock);
	event = slot->counter.event;
	debt = slot->debt;
	slot->counter.event = NULL;
	if (event)
		slot->task = NULL;
	spin_unlock(&trigger->lock);
	if (!event)
		return;
	perf_event_release_kernel(event);
	uw_quota_settle_counter(trigger->quota, debt);
}

static bool thread_is_wanted(struct trigger_task *trigger, struct task_struct *task)
{
	return trigger->base.owner->wants(trigger->base.owner, task) && thread_is_missing(trigger, task);
}

/* Returns how many were found, each with a reference. */
static u32 thread_find(struct trigger_task *trigger, struct task_struct **found)
{
	struct task_struct *process, *task;
	u32 nr = 0;

	rcu_read_lock();
	for_each_process_thread(process, task) {
		if (!thread_is_wanted(trigger, task))
			continue;
		found[nr++] = get_task_struct(task);
		if (nr == UW_TASK_BATCH)
			goto full;
	}
full:
	rcu_read_unlock();
	return nr;
}

/* As often as a batch was full and all of it got counters: each is found once. */
static void thread_search(struct trigger_task *trigger)
{
	struct task_struct *found[UW_TASK_BATCH];
	u32 nr, i;
	int err;

	do {
		err = 0;
		nr = thread_find(trigger, found);
		for (i = 0; i < nr; i++) {
			err = err ?: thread_count_in(trigger, found[i]);
			put_task_struct(found[i]);
		}
		cond_resched();
	} while (!err && nr == UW_TASK_BATCH);
}

/* A first counter shows whether the machine has the event. */
static int thread_try(struct trigger_task *trigger)
{
	struct perf_event_attr attr = trigger->attr;
	struct uw_resident_debt *debt = uw_quota_charge_counter(trigger->quota);
	struct uw_counter counter;
	struct perf_event *event;

	if (IS_ERR(debt))
		return PTR_ERR(debt);
	attr.disabled = 1;
	event = uw_counter_create(&counter, trigger->base.owner, &attr, -1, current);
	if (!IS_ERR(event))
		perf_event_release_kernel(event);
	uw_quota_settle_counter(trigger->quota, debt);
	return PTR_ERR_OR_ZERO(event);
}

static struct trigger_task *trigger_task_of(struct uw_trigger *trigger)
{
	return container_of(trigger, struct trigger_task, base);
}

static void trigger_task_close(struct uw_trigger *base)
{
	struct trigger_task *trigger = trigger_task_of(base);
	u32 i;

	might_sleep();
	spin_lock(&trigger->lock);
	WRITE_ONCE(trigger->state, TRIGGER_CLOSED);
	spin_unlock(&trigger->lock);
	for (i = 0; i < 1 << UW_TASK_BITS; i++)
		thread_drop(trigger, &trigger->slots[i]);
}

static void trigger_task_free(struct uw_trigger *base)
{
	struct trigger_task *trigger = trigger_task_of(base);

	kvfree(trigger->slots);
	kfree(trigger);
}

static void trigger_task_enable(struct uw_trigger *base)
{
	struct trigger_task *trigger = trigger_task_of(base);

	might_sleep();
	spin_lock(&trigger->lock);
	if (trigger->state == TRIGGER_IDLE)
		WRITE_ONCE(trigger->state, TRIGGER_RUNS);
	spin_unlock(&trigger->lock);
	thread_search(trigger);
}

static bool trigger_task_wants_child(const struct uw_trigger *base, struct task_struct *child)
{
	const struct trigger_task *trigger = container_of(base, const struct trigger_task, base);

	return READ_ONCE(trigger->state) == TRIGGER_RUNS && base->owner->wants_child(base->owner, child);
}

static void trigger_task_adopt(struct uw_trigger *trigger)
{
	might_sleep();
	if (trigger_task_wants_child(trigger, current))
		thread_count_in(trigger_task_of(trigger), current);
}

static void trigger_task_sweep(struct uw_trigger *base)
{
	struct trigger_task *trigger = trigger_task_of(base);
	u32 i;

	might_sleep();
	if (READ_ONCE(trigger->state) != TRIGGER_RUNS)
		return;
	for (i = 0; i < 1 << UW_TASK_BITS; i++) {
		/* Nobody else drops counters while this runs. */
		const struct perf_event *event = READ_ONCE(trigger->slots[i].counter.event);

		if (event && READ_ONCE(event->state) <= PERF_EVENT_STATE_EXIT)
			thread_drop(trigger, &trigger->slots[i]);
	}
	if (time_before(jiffies, trigger->searched + HZ))
		return;
	trigger->searched = jiffies;
	thread_search(trigger);
}

static const struct uw_trigger_ops trigger_task_ops = {
	.enable = trigger_task_enable,
	.disable = trigger_task_close,
	.close = trigger_task_close,
	.free = trigger_task_free,
	.wants_child = trigger_task_wants_child,
	.adopt = trigger_task_adopt,
	.sweep = trigger_task_sweep,
};

struct uw_trigger *uw_trigger_task_create(struct uw_trigger_owner *owner, struct uw_quota *quota,
					  const struct perf_event_attr *attr)
{
	struct trigger_task *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (!trigger)
		return ERR_PTR(-ENOMEM);
	trigger->base.ops = &trigger_task_ops;
	trigger->base.owner = owner;
	trigger->quota = quota;
	trigger->attr = *attr;
	spin_lock_init(&trigger->lock);
	trigger->slots = kvcalloc(1 << UW_TASK_BITS, sizeof(*trigger->slots), GFP_KERNEL_ACCOUNT);
	if (trigger->slots)
		err = thread_try(trigger);
	if (!err)
		return &trigger->base;
	trigger_task_free(&trigger->base);
	return ERR_PTR(err);
}
