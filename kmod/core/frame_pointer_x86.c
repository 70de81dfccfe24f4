// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * x86-64 code that begins with "push %rbp; mov %rsp,%rbp": FP points to the
 * caller's FP, and the return address lies above it.
 */
#include "rule.h"

const struct uw_rule uw_rule_frame_pointer_x86 = {
	.kind = UW_RULE_FRAME,
	.cfa_kind = UW_CFA_REG,
	.cfa_reg = UW_X86_FP,
	.cfa_off = 16,
	.ra_place = UW_PLACE_CFA_MEM,
	.ra_off = -8,
	.fp_place = UW_PLACE_CFA_MEM,
	.fp_off = -16,
	.rbx_slot = UW_RBX_LOST,
};
