/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A perf counter that calls its owner each time it overflows.
 */
#ifndef UW_COUNTER_H
#define UW_COUNTER_H

#include <linux/types.h>

struct perf_event;
struct perf_event_attr;
struct task_struct;
struct uw_trigger_owner;
struct uwind_counter;

/* Of one CPU, or of one task. Lifetime: longer than event's. */
struct uw_counter {
	struct uw_trigger_owner *owner; /* Order: set by uw_counter_create(), before the event exists */
	struct perf_event *event; /* owned; NULL: none. Set and cleared by its creator, under the creator's rules */
	u64 throttled_ns;         /* when it was stopped for a while; 0: it runs. Written by its handler only */
	bool is_clock; /* as was asked for: since Linux 6.3 the event's type is another one then. Order: as owner */
};

/* Its attributes point into the memory of whoever made it first, so that nobody else can make another one. */
bool uw_counter_is_probe(const struct perf_event *event);

/* One of perf's clocks: its period is time, and a timer counts it. */
bool uw_counter_is_clock(u32 type, u64 config);

/* What of asks for. The counter is enabled from the start unless attr says otherwise later. */
void uw_counter_attr_init(struct perf_event_attr *attr, const struct uwind_counter *of);

/*
 * A counter of cpu, or of task on whichever CPU (cpu -1). It lasts until
 * perf_event_release_kernel(); counter must not move meanwhile. ERR_PTR, -ENODEV
 * where this machine has no such event. May sleep. attr may point into current's memory.
 */
struct perf_event *uw_counter_create(struct uw_counter *counter, struct uw_trigger_owner *owner,
				     struct perf_event_attr *attr, int cpu, struct task_struct *task);

#endif
