// SPDX-License-Identifier: GPL-2.0
/*
 * This runs for each function that the kernel enters: most often it compares two numbers. Kbuild takes care that nothing of
 * this file is traced itself. What it calls may be, and is not looked at.
 *
 * In an interrupt, a stack may hold what looks at an entry of what was interrupted. How deep it is then is our own doing,
 * and is not looked at.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "kernel/kstack_look.h"

/* An entry that is looked at. */
struct look {
	struct uw_kstack *kstack;
	struct uw_kstack_cpu *cpu;
	struct uw_ftrace_place place;
	struct uw_kstack_stack stack;
	u32 context;
	u32 depth;
	u8 kind;
};

static __always_inline u32 context_now(void)
{
	if (in_nmi())
		return 3;
	if (in_hardirq())
		return 2;
	return in_serving_softirq() ? 1 : 0;
}

static __always_inline u8 kind_of(u32 context)
{
	static const u8 kinds[] = { 0, UWIND_KSTACK_SOFTIRQ, UWIND_KSTACK_IRQ, UWIND_KSTACK_NMI };

	if (context)
		return kinds[context];
	if (is_idle_task(current))
		return UWIND_KSTACK_IDLE;
	if (current->flags & (PF_KTHREAD | UW_PF_USER_WORKER))
		return UWIND_KSTACK_KTHREAD;
	return uw_in_syscall() ? UWIND_KSTACK_SYSCALL : UWIND_KSTACK_EXCEPTION;
}

static __always_inline bool find_stack(struct look *look)
{
	const unsigned long sp = look->place.sp, low = (unsigned long)task_stack_page(current);

	look->stack = (struct uw_kstack_stack){ low, low + THREAD_SIZE, UWIND_KSTACK_ON_TASK };
	if (likely(uw_kstack_stack_has_sp(&look->stack, sp)))
		return true;
	look->stack = look->cpu->irq;
	if (uw_kstack_stack_has_sp(&look->stack, sp))
		return true;
	if (!rcu_is_watching() || !uw_kstack_stack_find(sp, &look->stack))
		return false;
	if (look->stack.on == UWIND_KSTACK_ON_IRQ && look->context < 3)
		look->cpu->irq = look->stack;
	return true;
}

static void fill(const struct look *look, struct uw_kstack_slot *slot, const struct uw_kstack_walk *walk)
{
	slot->stack = (struct uwind_kstack_stack){
		.time_ns = ktime_get_boot_fast_ns(),
		.cpu = smp_processor_id(),
		.tid = current->pid,
		.pid = current->tgid,
		.depth = look->depth,
		.stack_bytes = look->stack.high - look->stack.low,
		.nr_frames = walk->nr,
		.kind = look->kind,
		.flags = walk->flags,
		.on = look->stack.on,
	};
	memcpy(slot->stack.comm, current->comm, sizeof(slot->stack.comm));
	slot->stack.comm[sizeof(slot->stack.comm) - 1] = '\0';
}

/*
 * An interrupt before a look has begun, and the scheduler after its end, find what calls it on the stack: that is our own
 * doing, too.
 */
static void walk_into(const struct look *look, struct uw_kstack_slot *slot)
{
	struct uw_kstack_walk walk = {
		.scratch = &look->cpu->scratch[look->context],
		.stack = look->stack,
		.stub = look->kstack->ops.trampoline,
	};

	uw_kstack_walk(&walk, &look->place);
	if (walk.own) {
		look->cpu->own =
			(struct uw_kstack_own){ current, walk.own, READ_ONCE_NOCHECK(*(unsigned long *)walk.own) };
		look->cpu->counts[UW_KSTACK_MISSED_OWN]++;
		return;
	}
	memcpy(slot->frames, walk.scratch->frames, walk.nr * sizeof(*slot->frames));
	fill(look, slot, &walk);
	WRITE_ONCE(slot->depth, look->depth);
	look->cpu->counts[UW_KSTACK_WALKED]++;
}

/* task: whose slot that is; 0: a CPU's. */
static noinline void keep(const struct look *look, struct uw_kstack_slot *slot, u64 task)
{
	if (!rcu_is_watching()) {
		look->cpu->counts[UW_KSTACK_MISSED_RCU]++;
		return;
	}
	if (!uw_kstack_slot_try(slot)) {
		look->cpu->counts[UW_KSTACK_MISSED_BUSY]++;
		return;
	}
	if (slot->task != task) { /* another CPU has given it to a deeper one */
		look->cpu->counts[UW_KSTACK_TASKS_MISSED]++;
	} else if (slot->depth < look->depth) {
		walk_into(look, slot);
	}
	uw_kstack_slot_release(slot);
}

static __always_inline void compare(struct look *look)
{
	const bool on_task = look->stack.on == UWIND_KSTACK_ON_TASK;
	struct uw_kstack_store *store = &look->kstack->store;
	struct uw_kstack_slot *slot;

	look->depth = look->stack.high - look->place.sp;
	look->kind = kind_of(look->context);
	slot = &look->cpu->slots[look->kind * 2 + !on_task];
	if (unlikely(READ_ONCE(slot->depth) < look->depth))
		keep(look, slot, 0);
	if (!store->tasks || !on_task)
		return;
	slot = uw_kstack_store_task(store, look->cpu, look->depth);
	if (slot)
		keep(look, slot, uw_kstack_task());
}

static __always_inline bool is_on_stack(const struct look *look, unsigned long address)
{
	return address >= look->stack.low && address < look->stack.high;
}

static __always_inline bool is_above_look(const struct look *look)
{
	unsigned long below = look->cpu->looking & (BIT(look->context) - 1);

	for (; below; below &= below - 1)
		if (is_on_stack(look, look->cpu->at[__ffs(below)]))
			return true;
	return false;
}

/* What was walked for nothing is not walked again for as long as it is on the stack: an interrupt would take too long. */
static __always_inline bool is_above_own(struct look *look)
{
	const struct uw_kstack_own own = look->cpu->own;

	if (likely(own.task != current) || !is_on_stack(look, own.at))
		return false;
	if (look->place.sp < own.at && READ_ONCE_NOCHECK(*(unsigned long *)own.at) == own.word)
		return true;
	look->cpu->own.task = NULL;
	return false;
}

static __always_inline void look_at(struct look *look, unsigned long ip, struct ftrace_regs *fregs)
{
	uw_ftrace_place(fregs, ip, &look->place);
	if (!find_stack(look)) {
		look->cpu->counts[UW_KSTACK_MISSED_STACK]++;
		return;
	}
	if (is_above_look(look) || is_above_own(look)) {
		look->cpu->counts[UW_KSTACK_MISSED_OWN]++;
		return;
	}
	look->cpu->counts[UW_KSTACK_ENTRIES]++;
	compare(look);
}

void uw_kstack_look(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct uw_kstack *kstack = container_of(ops, struct uw_kstack, ops);
	const int bit = ftrace_test_recursion_trylock(ip, parent_ip);
	struct look look;

	if (bit < 0) {
		this_cpu_inc(kstack->store.cpus->counts[UW_KSTACK_MISSED_NESTED]);
		return;
	}
	look.kstack = kstack;
	look.cpu = this_cpu_ptr(kstack->store.cpus);
	look.context = context_now();
	if (look.cpu->looking & BIT(look.context)) { /* before the kernel has noted a new context */
		look.cpu->counts[UW_KSTACK_MISSED_NESTED]++;
	} else {
		look.cpu->at[look.context] = (unsigned long)&look;
		barrier();
		look.cpu->looking |= BIT(look.context);
		barrier();
		look_at(&look, ip, fregs);
		barrier();
		look.cpu->looking &= ~BIT(look.context);
	}
	ftrace_test_recursion_unlock(bit);
}
