/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What triggers have in common, and what they call. They know no session.
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
struct uwind_call;

/* What a counter says when it overflows. On the stack of the handler. */
struct uw_firing {
	/* Whose event it is: current, or a task that is off its CPU, and stays so while the handler runs. */
	struct task_struct *task;
	/* Of what was interrupted; of a tracepoint, of what has called it: see perf_fetch_caller_regs(). NULL: see task */
	struct pt_regs *regs;
	u64 period;                       /* events that it stands for */
	const struct uw_off_cpu *off_cpu; /* NULL: it is another kind of event */
	const struct uwind_call *call;    /* the same */
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
	const struct uw_filter_step *steps; /* which of a tracepoint's events, or calls, count; NULL: all */
};

/*
 * One event that its owner counts. Each kind begins its own structure with it. Members are constant while it exists, unless
 * their comments say otherwise.
 */
struct uw_trigger {
	const struct uw_trigger_ops *ops;
	struct uw_trigger_owner *owner; /* Lifetime: longer than the trigger's */
	u32 nr_failed; /* counters. Protected by: its kind's lock to write. Read anywhere by READ_ONCE() */
};

/* All may sleep, but for wants_child. It is made disabled: trigger/cpu.h, trigger/task.h, trigger/off_cpu.h. */
struct uw_trigger_ops {
	void (*enable)(struct uw_trigger *trigger);
	/* Nobody wants it any more; it may still fire. */
	void (*disable)(struct uw_trigger *trigger);
	/*
	 * No handler begins any more; one that is a tracepoint's or a probe's may run until RCU's grace period is over. Once more it
	 * does nothing.
	 */
	void (*close)(struct uw_trigger *trigger);
	/* After that period, when nobody adopts any more; or where it was never enabled. */
	void (*free)(struct uw_trigger *trigger);
	/* Of those that have a counter for each thread; NULL: it counts whatever runs. Will current's new child want one? Any context. */
	bool (*wants_child)(const struct uw_trigger *trigger, struct task_struct *child);
	/* Count in current, if it is wanted and is not counted in yet. */
	void (*adopt)(struct uw_trigger *trigger);
	/* Ten times a second, one at a time, and not while it is closed: follow threads that have ended or become visible. */
	void (*sweep)(struct uw_trigger *trigger);
};

/* Does the owner's filter take such an entry of current's? Any context. */
bool uw_trigger_filter(const struct uw_trigger_owner *owner, const void *entry, u32 bytes);

/* Fires in current, for every session. Returns for how many a stack is asked. Any context. */
typedef unsigned int (*uw_trigger_all_t)(struct pt_regs *regs, u64 *cookie);

/* Module init, before the first trigger. */
void uw_trigger_register_all(uw_trigger_all_t all);
unsigned int uw_trigger_all(struct pt_regs *regs, u64 *cookie);

#endif
