/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes in user space (uprobes) change what a walk sees: a probed instruction is executed
 * in a page of its own, and while a function with a return probe runs, its return address
 * is that of a trampoline in the same page. The kernel keeps what is true.
 */
#ifndef UW_UPROBE_H
#define UW_UPROBE_H

#include <linux/sched.h>
#include <linux/uprobes.h>

struct uw_port;

/* Both return their argument if no probe has changed it. pc is exact, sp belongs to it. */
u64 uw_uprobe_pc(struct uw_port *port, u64 pc, u64 sp);
u64 uw_uprobe_caller(struct uw_port *port, u64 ra, u64 cfa);

/* Has current ever met a probe? Then its saved registers may be the kernel's for a moment. */
static inline bool uw_uprobed(void)
{
#ifdef CONFIG_UPROBES
	return current->utask;
#else
	return false;
#endif
}

#endif
