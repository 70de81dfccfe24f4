// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The four ABIs. 32-bit Arm has two frame pointers: r11, and in Thumb code r7,
 * which is a base register here; compat_arm.c knows which of them to follow.
 */
#include "types.h"

const struct uw_abi uw_abis[UW_NR_ARCHES] = {
	[UW_ARCH_X86_64] = {8, UW_X86_RA, UW_X86_SP, UW_X86_FP, UW_X86_BX, UW_NO_REG},
	[UW_ARCH_ARM64] = {8, UW_NR_REGS, UW_ARM64_SP, UW_ARM64_FP, UW_NO_REG, UW_ARM64_LR},
	[UW_ARCH_I386] = {4, UW_I386_RA, UW_I386_SP, UW_I386_FP, UW_I386_BX, UW_NO_REG},
	[UW_ARCH_ARM] = {4, UW_ARM_PC, UW_ARM_SP, UW_ARM_FP, UW_ARM_R7, UW_ARM_LR},
};
