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

#include "trigger/counter.h"

struct cpumask;
struct uw_trigger_owner;

/* Set by uw_trigger_cpu_init(), constant until uw_trigger_cpu_deinit(), unless a member's comment says otherwise. */
struct uw_trigger_cpu {
	struct hlist_node node;         /* Owned by: the CPU hotplug core */
	struct uw_trigger_owner *owner; /* Lifetime: longer than the trigger's */
	const struct cpumask *cpus;     /* the owner's. Lifetime: the same */
	struct perf_event_attr attr;
	/* Owned; NULL: not in use. One is changed by the callbacks of its CPU only. */
	struct uw_counter __percpu *counters;
	int err;      /* of the last counter that could not be made. Protected by: cpus_read_lock() against callbacks */
	bool started; /* from now on a counter that fails is counted, not returned. Protected by: the same */
	u32 nr_failed;      /* Written by: the callbacks. Read anywhere by READ_ONCE() */
	struct mutex mutex; /* Order: outside cpus_read_lock() */
	bool enabled;       /* Protected by: mutex, and by cpus_read_lock() against a CPU that comes online */
};

/* Create the counters of these CPUs, disabled. -ENODEV: no such event here. May sleep. */
int uw_trigger_cpu_init(struct uw_trigger_cpu *trigger, struct uw_trigger_owner *owner, const struct cpumask *cpus,
			const struct perf_event_attr *attr);
/* Both do nothing if that was done before. May sleep. */
void uw_trigger_cpu_enable(struct uw_trigger_cpu *trigger);
void uw_trigger_cpu_disable(struct uw_trigger_cpu *trigger);

/* When it returns, no handler runs any more. Does nothing after a failed init. */
void uw_trigger_cpu_deinit(struct uw_trigger_cpu *trigger);

/* Once for the module, before and after all sessions. */
int uw_trigger_cpu_setup(void);
void uw_trigger_cpu_exit(void);

#endif
