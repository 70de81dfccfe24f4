// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: System V psABI, figure 3.36 (DWARF register number mapping).
 */
#include <linux/ptrace.h>

#include "regs.h"

void uw_regs_take(struct uw_regs *regs, const struct pt_regs *pt)
{
	const unsigned long values[] = {
		pt->ax, pt->dx, pt->cx, pt->bx, pt->si, pt->di, pt->bp, pt->sp,
		pt->r8, pt->r9, pt->r10, pt->r11, pt->r12, pt->r13, pt->r14, pt->r15,
	};

	memset(regs, 0, sizeof(*regs));
	memcpy(regs->r, values, sizeof(values));
	regs->pc = pt->ip;
	regs->known = (1u << ARRAY_SIZE(values)) - 1;
}

u8 uw_regs_word_bits(struct pt_regs *pt)
{
	return user_64bit_mode(pt) ? 64 : 32;
}
