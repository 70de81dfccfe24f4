/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One event of a session: its counters, and what is done when they fire.
 */
#ifndef UW_EVENT_H
#define UW_EVENT_H

#include "trigger/trigger.h"

struct uw_filter_step;
struct uw_quota;
struct uw_session;
struct uwind_counter;

/* Set by uw_event_init(), constant until uw_event_deinit(). */
struct uw_event {
	struct uw_trigger_owner owner; /* its steps are owned */
	struct uw_session *session;    /* Lifetime: longer than the event's */
	u8 number;                     /* of the counter, as in struct uwind_record_event */
	bool kernel_stack;             /* with the kernel's stack */
	bool unnoted;                  /* what it does in user space needs no note: the sample's weight says it */
	struct uw_trigger *trigger;    /* owned; NULL: none */
};

/* What a session counts. Lifetime: of the call that it is given to. */
struct uw_event_list {
	const struct uwind_counter *counters;
	struct uw_filter_step **steps; /* of each, or NULL; who takes one over leaves NULL */
	u32 nr;
	bool listed; /* by the caller; else the counter is his only one, and is noted nowhere */
	u32 bad;     /* out: which one an error is about */
};

/* Whose events they are. */
struct uw_event_owner {
	struct uw_trigger_owner trigger; /* of each event, but for its steps */
	struct uw_session *session;
	struct uw_quota *quota;     /* who pays for counters of threads; NULL: they are of CPUs */
	const struct cpumask *cpus; /* that counters of CPUs are for. Lifetime: longer than the events' */
};

/*
 * Counters of entry number of the list, not enabled yet. After an error, too, uw_event_deinit() is due, after
 * uw_event_close(), if that is called, and RCU's grace period. Errors are perf_event_open()'s. May sleep. The counter may
 * point into current's memory.
 */
int uw_event_init(struct uw_event *event, const struct uw_event_owner *owner, struct uw_event_list *list, u32 number);
void uw_event_deinit(struct uw_event *event);

void uw_event_enable(struct uw_event *event);
/* Nobody wants it any more; it may still fire. */
void uw_event_disable(struct uw_event *event);
/* No counter of it fires any more, but for one that does so just now: until RCU's grace period is over. */
void uw_event_close(struct uw_event *event);

/* Of events that have a counter for each thread, else they do nothing: see struct uw_trigger_ops. */
bool uw_event_wants_child(const struct uw_event *event, struct task_struct *child);
void uw_event_adopt(struct uw_event *event);
void uw_event_sweep(struct uw_event *event);

/* How many counters could not be made. Any context. */
u32 uw_event_failed(const struct uw_event *event);

#endif
