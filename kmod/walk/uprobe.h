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
struct uw_regs;

/* Returns its argument if no probe has changed it. */
u64 uw_uprobe_caller(struct uw_port *port, u64 ra, u64 cfa);

/* Of the innermost frame, whose pc is exact: as they would be without probes. */
void uw_uprobe_regs(struct uw_port *port, struct uw_regs *regs);

/* What is left of a trampoline that has several instructions. */
struct uw_way_out {
	s32 sp_off;  /* where its return finds the address: bytes from SP */
	u16 dropped; /* bytes above the address that the return also drops */
	bool calls;  /* a system call puts the address there */
};

/* What stands in place of a probed no-operation, at its last instruction: a call. */
struct uw_way_in {
	u64 trampoline; /* what it calls */
	u32 skipped;    /* bytes by which SP was lowered before it */
};

/* False: the instructions at pc are no such thing. */
#ifdef CONFIG_X86_64
bool uw_uprobe_way_out(u64 pc, struct uw_way_out *out);
bool uw_uprobe_way_in(u64 pc, struct uw_way_in *in);
#else
static inline bool uw_uprobe_way_out(u64 pc, struct uw_way_out *out)
{
	return false;
}

static inline bool uw_uprobe_way_in(u64 pc, struct uw_way_in *in)
{
	return false;
}
#endif

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
