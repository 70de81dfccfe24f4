/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Times that tasks are off their CPU: how long, and why.
 */
#ifndef UW_OFF_CPU_H
#define UW_OFF_CPU_H

#include <linux/list.h>
#include <linux/types.h>

struct cpumask;
struct task_struct;
struct uw_off_cpu_limit;
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
 * A session's. Members are constant from uw_trigger_off_cpu_init() to uw_trigger_off_cpu_close(), but for enabled.
 */
struct uw_trigger_off_cpu {
	struct uw_trigger_owner *owner; /* Lifetime: longer than the trigger's */
	struct list_head node;          /* in the list of all. Protected by: its mutex to write, RCU to read */
	const struct cpumask *cpus;     /* that it is for. Lifetime: longer than the trigger's */
	u64 least_ns;                   /* shorter times do not count */
	u32 most;                       /* a second and CPU */
	bool wakers;                    /* who wakes a task is noted, too */
	bool enabled;                   /* Read anywhere by READ_ONCE() */
	bool open;                      /* it is in the list. Used by its owner only */
	/* Owned. Each CPU changes its own, with interrupts disabled. */
	struct uw_off_cpu_limit __percpu *limits;
};

/*
 * What counter asks for, not enabled yet. -ENOMEM; -ENODEV: this kernel tells nobody. After an error, too, _close() is
 * due. May sleep.
 */
int uw_trigger_off_cpu_init(struct uw_trigger_off_cpu *trigger, struct uw_trigger_owner *owner,
			    const struct cpumask *cpus, const struct uwind_counter *counter);
void uw_trigger_off_cpu_enable(struct uw_trigger_off_cpu *trigger);
void uw_trigger_off_cpu_disable(struct uw_trigger_off_cpu *trigger);

/*
 * Fires for those that are off their CPUs still, if it is enabled. When it returns, nothing of it fires any more. Once more
 * it does nothing. May sleep.
 */
void uw_trigger_off_cpu_close(struct uw_trigger_off_cpu *trigger);

#endif
