/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trigger of those without privilege: one perf counter for each thread that its
 * owner wants, which runs while that thread does. Nobody else is interrupted.
 */
#ifndef UW_TRIGGER_TASK_H
#define UW_TRIGGER_TASK_H

#include <linux/perf_event.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "trigger/counter.h"

struct task_struct;
struct uw_quota;
struct uw_task_slot;
struct uw_trigger_owner;

enum uw_trigger_task_state {
	UW_TRIGGER_IDLE, /* no counters yet */
	UW_TRIGGER_RUNS,
	UW_TRIGGER_CLOSED, /* no counters any more */
};

/* Set by uw_trigger_task_init(), constant until uw_trigger_task_deinit(), unless a member's comment says otherwise. */
struct uw_trigger_task {
	struct uw_trigger_owner *owner; /* Lifetime: longer than the trigger's */
	struct uw_quota *quota;         /* each counter is charged to it. Lifetime: the same */
	struct perf_event_attr attr;
	spinlock_t lock;                  /* Order: innermost */
	enum uw_trigger_task_state state; /* Protected by: lock to write. Read anywhere by READ_ONCE() */
	struct uw_task_slot *slots;       /* owned; NULL: not in use. What is in it is protected by: lock */
	u32 nr_failed;                    /* Protected by: lock to write. Read anywhere by READ_ONCE() */
	unsigned long searched;           /* jiffies of the last search. Used by the sweep only */
};

/* -ENODEV: no such event here. After an error, too, uw_trigger_task_deinit() is due. May sleep. */
int uw_trigger_task_init(struct uw_trigger_task *trigger, struct uw_trigger_owner *owner, struct uw_quota *quota,
			 const struct perf_event_attr *attr);
/* After uw_trigger_task_close() and RCU's grace period, when nobody adopts any more. Does nothing without init. */
void uw_trigger_task_deinit(struct uw_trigger_task *trigger);

/* Count in all threads that there are. May sleep, like all that follow, but for the next. */
void uw_trigger_task_enable(struct uw_trigger_task *trigger);

/* Will current's new child want a counter? Any context. */
bool uw_trigger_task_wants_child(const struct uw_trigger_task *trigger, struct task_struct *child);

/* Count in current, if it is wanted and is not counted in yet. */
void uw_trigger_task_adopt(struct uw_trigger_task *trigger);

/* Ten times a second, one at a time: drop counters whose threads have ended, find threads that have become visible. */
void uw_trigger_task_sweep(struct uw_trigger_task *trigger);

/*
 * Drop all counters, for good. Not at the same time as the sweep. When it returns, no
 * handler begins any more (see uw_trigger_cpu_close()), but for counters that
 * uw_trigger_task_adopt() is just making: it drops them itself.
 */
void uw_trigger_task_close(struct uw_trigger_task *trigger);

#endif
