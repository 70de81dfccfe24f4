/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The deepest stacks that were seen: one for each CPU, kind of entry and stack, and of the deepest tasks.
 */
#ifndef UW_KSTACK_STORE_H
#define UW_KSTACK_STORE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "kernel/kstack_walk.h"
#include "uwind.h"
#include "uwind_kstack.h"

#define UW_KSTACK_CONTEXTS  4u /* a task's, softirqs', interrupts', NMIs' */
#define UW_KSTACK_CPU_SLOTS (UWIND_NR_KSTACK_KINDS * 2u)

/* Room for one stack. Written by who has it; depth and task are read by anyone. */
struct uw_kstack_slot {
	atomic_t held; /* 1: someone has it. Nobody waits for it but readers, who may sleep */
	u32 depth;     /* of what is in it; 0: nothing */
	u64 task;      /* of a slot of a task: who; 0: nobody */
	struct uwind_kstack_stack stack;
	struct uwind_kstack_frame frames[UWIND_KSTACK_FRAMES]; /* follow stack without a gap */
};

/* Named as in struct uwind_kstack_counts. */
enum uw_kstack_count {
	UW_KSTACK_ENTRIES,
	UW_KSTACK_WALKED,
	UW_KSTACK_MISSED_BUSY,
	UW_KSTACK_MISSED_NESTED,
	UW_KSTACK_MISSED_OWN,
	UW_KSTACK_MISSED_RCU,
	UW_KSTACK_MISSED_STACK,
	UW_KSTACK_TASKS_DISPLACED,
	UW_KSTACK_TASKS_MISSED,
	UW_KSTACK_NR_COUNTS,
};

/* A stack has what calls tracers: for as long as this word of it is as it was. */
struct uw_kstack_own {
	const struct task_struct *task; /* current then; only compared; NULL: none */
	unsigned long at;
	unsigned long word;
};

/* Each CPU uses its own, in any context, not preempted. */
struct uw_kstack_cpu {
	struct uw_kstack_slot *slots;         /* owned: UW_KSTACK_CPU_SLOTS. Set once */
	struct uw_kstack_stack irq;           /* as it was met; high 0: not yet */
	unsigned long looking;                /* bit n: in context n an entry is looked at */
	unsigned long at[UW_KSTACK_CONTEXTS]; /* where on a stack that is done */
	u64 counts[UW_KSTACK_NR_COUNTS];
	struct uw_kstack_own own;
	struct uw_kstack_scratch *scratch; /* owned: one for each context. Set once */
};

/* Constant while functions are looked at, but for what is in it. */
struct uw_kstack_store {
	struct uw_kstack_cpu __percpu *cpus; /* owned */
	struct uw_kstack_slot *tasks;        /* owned; NULL: none are kept by task */
	u32 nr_tasks;
};

/* -ENOMEM: deinit is due all the same. May sleep. */
int uw_kstack_store_init(struct uw_kstack_store *store, u32 nr_tasks);
void uw_kstack_store_deinit(struct uw_kstack_store *store);

/* What tells current apart in the slots of tasks. Numbers of tasks are used again; not at the same time. */
static __always_inline u64 uw_kstack_task(void)
{
	return (u64)(u32)current->start_boottime << 32 | (u32)current->pid;
}

/*
 * The slot of current that a stack of that depth belongs into. NULL: it keeps a deeper one, or none is free, which is counted.
 * It may be another task's again before it is taken. Not preempted.
 */
struct uw_kstack_slot *uw_kstack_store_task(struct uw_kstack_store *store, struct uw_kstack_cpu *cpu, u32 depth);

/* False: someone else has it. */
static __always_inline bool uw_kstack_slot_try(struct uw_kstack_slot *slot)
{
	return !atomic_read(&slot->held) && atomic_cmpxchg_acquire(&slot->held, 0, 1) == 0;
}

static __always_inline void uw_kstack_slot_release(struct uw_kstack_slot *slot)
{
	atomic_set_release(&slot->held, 0);
}

/* Of all CPUs. */
void uw_kstack_store_counts(const struct uw_kstack_store *store, struct uwind_kstack_counts *counts);

/* How many slots there are, and one of them by number: of CPUs, then of tasks. NULL: a CPU that has none. */
u32 uw_kstack_store_slots(const struct uw_kstack_store *store);
struct uw_kstack_slot *uw_kstack_store_slot(const struct uw_kstack_store *store, u32 number, u32 *type);

#endif
