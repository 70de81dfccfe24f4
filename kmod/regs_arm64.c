// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: AADWARF64, section 4.1 (DWARF register names): x0 … x30, SP.
 */
#include <linux/ptrace.h>

#include "regs.h"

void uw_regs_take(struct uw_regs *regs, const struct pt_regs *pt)
{
	memcpy(regs->r, pt->regs, sizeof(pt->regs));
	regs->r[UW_ARM64_SP] = pt->sp;
	regs->pc = pt->pc;
	regs->known = ~0u;
	regs->on_stack = 0;
}

u8 uw_regs_word_bits(struct pt_regs *pt)
{
	return compat_user_mode(pt) ? 32 : 64;
}
