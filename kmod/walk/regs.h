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
#define UW_ARCH        UW_ARCH_ARM64
#define UW_COMPAT_ARCH UW_ARCH_ARM
#else
#define UW_ARCH        UW_ARCH_X86_64
#define UW_COMPAT_ARCH UW_ARCH_I386
#endif

/* All registers, in the numbering of the code that was interrupted: its ABI. Any context. */
enum uw_arch uw_regs_take(struct uw_regs *regs, struct pt_regs *pt);

#endif
