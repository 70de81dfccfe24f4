/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times that tasks are off their CPU: how long, and why.
 */
#ifndef UW_OFF_CPU_H
#define UW_OFF_CPU_H

#include <linux/types.h>

struct cpumask;
struct uw_trigger;
struct uw_trigger_owner;
struct uwind_counter;

/* One such time, or a wakeup that ends one. */
struct uw_off_cpu {
	u64 since_ns; /* CLOCK_BOOTTIME */
	u64 woken_ns; /* the same; 0: it was not woken, or not after it had waited long enough to be noted */
	u64 wake;     /* a number of the wakeup that is used once; 0: it is not noted */
	s32 syscall;  /* that it is in; -1: none */
	char state;   /* as in struct uwind_record_off_cpu */
	u8 flags;     /* UWIND_OFF_CPU_* */
};

/*
 * What counter asks for, of these CPUs, which live longer than the trigger. To close it fires for those that are off their CPUs
 * still, if it is enabled; when that is done, nothing of it fires any more. ERR_PTR, -ENODEV: this kernel tells nobody.
 * May sleep.
 */
struct uw_trigger *uw_trigger_off_cpu_create(struct uw_trigger_owner *owner, const struct cpumask *cpus,
					     const struct uwind_counter *counter);

#endif
