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
	const unsigned long values[] = {
		pt->ax, pt->dx, pt->cx,  pt->bx,  pt->si,  pt->di,  pt->bp,  pt->sp,
		pt->r8, pt->r9, pt->r10, pt->r11, pt->r12, pt->r13, pt->r14, pt->r15,
	};

	if (!user_64bit_mode(pt))
		return regs_take_i386(regs, pt);
	memset(regs, 0, sizeof(*regs));
	memcpy(regs->r, values, sizeof(values));
	regs->pc = pt->ip;
	regs->known = (1u << ARRAY_SIZE(values)) - 1;
	return UW_ARCH_X86_64;
}
