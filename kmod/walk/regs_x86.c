// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: System V psABI, figure 3.36 (DWARF register number mapping).
 * i386: System V psABI for Intel386, table 2.14.
 */
#include <linux/ptrace.h>

#include "walk/regs.h"

static enum uw_arch regs_take_i386(struct uw_regs *regs, struct pt_regs *pt)
{
	const unsigned long values[] = {
		pt->ax, pt->cx, pt->dx, pt->bx, pt->sp, pt->bp, pt->si, pt->di,
	};
	u8 i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < ARRAY_SIZE(values); i++)
		regs->r[i] = (u32)values[i];
	regs->pc = (u32)pt->ip;
	regs->known = (1u << ARRAY_SIZE(values)) - 1;
	return UW_ARCH_I386;
}

enum uw_arch uw_regs_take(struct uw_regs *regs, struct pt_regs *pt)
{
	u64 *r = regs->r;

	if (!user_64bit_mode(pt))
		return regs_take_i386(regs, pt);
	r[0] = pt->ax;
	r[1] = pt->dx;
	r[2] = pt->cx;
	r[UW_X86_BX] = pt->bx;
	r[4] = pt->si;
	r[5] = pt->di;
	r[UW_X86_FP] = pt->bp;
	r[UW_X86_SP] = pt->sp;
	r[8] = pt->r8;
	r[9] = pt->r9;
	r[10] = pt->r10;
	r[11] = pt->r11;
	r[12] = pt->r12;
	r[13] = pt->r13;
	r[14] = pt->r14;
	r[15] = pt->r15;
	regs->pc = pt->ip;
	regs->known = (1u << UW_X86_RA) - 1;
	regs->on_stack = 0;
	regs->thumb = false;
	return UW_ARCH_X86_64;
}
