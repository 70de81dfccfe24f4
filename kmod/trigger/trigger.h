/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What triggers call. They know no session.
 */
#ifndef UW_TRIGGER_H
#define UW_TRIGGER_H

#include <linux/percpu.h>
#include <linux/types.h>

struct pt_regs;
struct task_struct;
struct uw_counts;
struct uw_filter_step;
struct uw_off_cpu;

/* What a counter says when it overflows. On the stack of the handler. */
struct uw_firing {
	/* Whose event it is: current, or a task that is off its CPU, and stays so while the handler runs. */
	struct task_struct *task;
	/* Of what was interrupted; of a tracepoint, of what has called it: see perf_fetch_caller_regs(). NULL: see task */
	struct pt_regs *regs;
	u64 period;                       /* events that it stands for */
	const struct uw_off_cpu *off_cpu; /* NULL: it is a counter's */
};

/* For whom counters count. Constant. Lifetime: longer than the counters'. */
struct uw_trigger_owner {
	/* A counter overflowed, or the like. Any context. */
	void (*fired)(struct uw_trigger_owner *owner, const struct uw_firing *firing);
	/* Is what happens to this task, current or one that is off its CPU, of interest? Any context. */
	bool (*takes)(const struct uw_trigger_owner *owner, struct task_struct *task);
	/* Much has fired at once: see to it that more can. Task context. */
	void (*make_room)(struct uw_trigger_owner *owner);
	/* Is this thread to be counted? Under rcu_read_lock(). */
	bool (*wants)(const struct uw_trigger_owner *owner, struct task_struct *task);
	/* Is current's new thread, or current, to be counted? Any context. */
	bool (*wants_child)(const struct uw_trigger_owner *owner, struct task_struct *child);
	struct uw_counts __percpu *counts;  /* of what did not fire. Each CPU adds to its own, in any context */
	const struct uw_filter_step *steps; /* which of a tracepoint's events count; NULL: all */
};

/* Fires in current, for every session. Returns for how many a stack is asked. Any context. */
typedef unsigned int (*uw_trigger_all_t)(struct pt_regs *regs, u64 *cookie);

/* Module init, before the first trigger. */
void uw_trigger_register_all(uw_trigger_all_t all);
unsigned int uw_trigger_all(struct pt_regs *regs, u64 *cookie);

#endif
