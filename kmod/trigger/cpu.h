/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The trigger of those with privilege: one perf counter for each CPU that its owner
 * wants, as long as the CPU is online.
 */
#ifndef UW_TRIGGER_CPU_H
#define UW_TRIGGER_CPU_H

struct cpumask;
struct perf_event_attr;
struct uw_trigger;
struct uw_trigger_owner;

/*
 * The counters of these CPUs, disabled; cpus live longer than the trigger. ERR_PTR, -ENODEV: no such event here. May sleep.
 * attr may point into current's memory.
 */
struct uw_trigger *uw_trigger_cpu_create(struct uw_trigger_owner *owner, const struct cpumask *cpus,
					 const struct perf_event_attr *attr);

/* Once for the module, before and after all sessions. */
int uw_trigger_cpu_setup(void);
void uw_trigger_cpu_exit(void);

#endif
