/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the architecture's saved user registers to the core's. regs_x86.c and
 * regs_arm64.c mirror each other.
 */
#ifndef UW_REGS_H
#define UW_REGS_H

#include "core/types.h"

struct pt_regs;

#ifdef CONFIG_ARM64
#define UW_ARCH UW_ARCH_ARM64
#else
#define UW_ARCH UW_ARCH_X86_64
#endif

/* All registers, in DWARF's numbering. Any context. */
void uw_regs_take(struct uw_regs *regs, const struct pt_regs *pt);

/* Word size of the code that was interrupted: 64 or 32. It belongs to the walk. */
u8 uw_regs_word_bits(struct pt_regs *pt);

#endif
