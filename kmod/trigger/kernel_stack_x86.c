// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's own unwinder goes from the registers on, so that the handler's frames are never walked.
 */
#include <linux/sched.h>

#include <asm/processor-flags.h>
#include <asm/unwind.h>

#include "trigger/kernel_stack.h"

/* A tracepoint's caller has an IP and an SP only: perf_fetch_caller_regs(). */
static void begin(struct unwind_state *state, struct pt_regs *regs)
{
	if (regs->flags & X86_EFLAGS_FIXED)
		unwind_start(state, current, regs, NULL);
	else
		unwind_start(state, current, NULL, (unsigned long *)regs->sp);
}

static u32 collect(struct unwind_state *state, unsigned long *frames, u32 nr, u32 most)
{
	while (nr < most && !unwind_done(state)) {
		frames[nr] = unwind_get_return_address(state);
		if (!frames[nr])
			break;
		if (++nr < most)
			unwind_next_frame(state);
	}
	return nr;
}

/*
 * Of another task that runs, the kernel does not say where a function returns to whose return is probed. Until Linux 6.8 it
 * warns of such a question. Who sleeps may be woken meanwhile.
 */
static bool hides_returns(const struct task_struct *task)
{
#ifdef CONFIG_RETHOOK
	return task->rethooks.first;
#else
	return false;
#endif
}

u32 uw_kernel_stack(struct pt_regs *regs, unsigned long *frames, u32 most)
{
	struct unwind_state state;

	frames[0] = regs->ip;
	begin(&state, regs);
	if (unwind_get_return_address(&state) == regs->ip) /* a tracepoint's caller, once more */
		unwind_next_frame(&state);
	return collect(&state, frames, 1, most);
}

u32 uw_kernel_stack_asleep(struct task_struct *task, unsigned long *frames, u32 most)
{
	struct unwind_state state;

	unwind_start(&state, task, NULL, NULL);
	return collect(&state, frames, 0, hides_returns(task) ? 1 : most);
}
