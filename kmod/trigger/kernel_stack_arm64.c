// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel walks from here, and what the handler has added goes away: all that lies before the pc that was
 * interrupted.
 */
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "trigger/kernel_stack.h"

u32 uw_kernel_stack(struct pt_regs *regs, unsigned long *frames, u32 most)
{
	u32 all = stack_trace_save(frames, most + UW_KERNEL_STACK_SPARE, 0), handler = 0, nr;

	while (handler < all && frames[handler] != regs->pc)
		handler++;
	nr = min(all - handler, most);
	memmove(frames, frames + handler, nr * sizeof(*frames));
	memset(frames + nr, 0, (all - nr) * sizeof(*frames));
	if (nr)
		return nr;
	frames[0] = regs->pc;
	return 1;
}
