// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: AADWARF64, section 4.1 (DWARF register names): x0 … x30, SP.
 * 32-bit Arm: AADWARF32, section 4.1; r0 … r14 are kept in the same places.
 */
#include <linux/ptrace.h>

#include "walk/regs.h"

static enum uw_arch regs_take_arm(struct uw_regs *regs, struct pt_regs *pt)
{
	u8 i;

	memset(regs, 0, sizeof(*regs));
	for (i = 0; i < UW_ARM_PC; i++)
		regs->r[i] = (u32)pt->regs[i];
	regs->pc = (u32)pt->pc;
	regs->known = (1u << UW_ARM_PC) - 1;
	regs->thumb = compat_thumb_mode(pt);
	return UW_ARCH_ARM;
}

enum uw_arch uw_regs_take(struct uw_regs *regs, struct pt_regs *pt)
{
	if (compat_user_mode(pt))
		return regs_take_arm(regs, pt);
	memcpy(regs->r, pt->regs, sizeof(pt->regs));
	regs->r[UW_ARM64_SP] = pt->sp;
	regs->pc = pt->pc;
	regs->known = ~0u;
	regs->on_stack = 0;
	regs->thumb = false;
	return UW_ARCH_ARM64;
}
