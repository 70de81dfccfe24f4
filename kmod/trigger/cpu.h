/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trigger of those with privilege: one perf counter for each CPU that its owner
 * wants, as long as the CPU is online.
 */
#ifndef UW_TRIGGER_CPU_H
#define UW_TRIGGER_CPU_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "trigger/counter.h"

struct cpumask;
struct uw_trigger_owner;

/* Of one CPU. */
struct uw_cpu_counter {
	struct uw_counter counter; /* Protected by: the trigger's mutex */
	bool failed;               /* no other one is tried as long as the CPU is online. Protected by: the same */
	bool here; /* the CPU is online, and stays. Written by its callbacks, read anywhere by READ_ONCE() */
	bool gone; /* it went offline. Set by its callback, cleared under the mutex */
};

/* Set by uw_trigger_cpu_init(), constant until uw_trigger_cpu_deinit(), unless a member's comment says otherwise. */
struct uw_trigger_cpu {
	struct hlist_node node;         /* Owned by: the CPU hotplug core */
	struct uw_trigger_owner *owner; /* Lifetime: longer than the trigger's */
	const struct cpumask *cpus;     /* the owner's. Lifetime: the same */
	struct perf_event_attr attr;
	struct uw_cpu_counter __percpu *counters; /* owned; NULL: not in use */
	struct work_struct follow;                /* makes and drops counters as CPUs come and go */
	struct mutex mutex;
	bool enabled;  /* Protected by: mutex */
	bool closed;   /* Used by its owner only */
	bool started;  /* by its caller, whose memory is not there any more. Protected by: mutex */
	bool is_probe; /* or may be: uw_counter_is_probe(). No CPU that comes later has one. Protected by: mutex */
	u32 nr_failed; /* Protected by: mutex to write. Read anywhere by READ_ONCE() */
};

/* Create the counters of these CPUs, disabled. -ENODEV: no such event here. May sleep. attr may point into current's memory. */
int uw_trigger_cpu_init(struct uw_trigger_cpu *trigger, struct uw_trigger_owner *owner, const struct cpumask *cpus,
			const struct perf_event_attr *attr);
/* Both do nothing if that was done before. May sleep. */
void uw_trigger_cpu_enable(struct uw_trigger_cpu *trigger);
void uw_trigger_cpu_disable(struct uw_trigger_cpu *trigger);

/*
 * No handler begins any more; one that is a tracepoint's or a probe's may run until RCU's grace period is over. Does
 * nothing after a failed init, or if that was done before. May sleep.
 */
void uw_trigger_cpu_close(struct uw_trigger_cpu *trigger);
/* After that period, or where nothing was enabled. Closes it, if that was not done. */
void uw_trigger_cpu_deinit(struct uw_trigger_cpu *trigger);

/* Once for the module, before and after all sessions. */
int uw_trigger_cpu_setup(void);
void uw_trigger_cpu_exit(void);

#endif
