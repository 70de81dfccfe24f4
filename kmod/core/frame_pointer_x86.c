// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * x86 code that begins with "push %rbp; mov %rsp,%rbp": FP points to the caller's
 * FP, and the return address lies above it. i386 does the same with %ebp.
 */
#include "rule.h"

#define FRAME_POINTER_RULE(fp, word)                                                                                  \
	{                                                                                                             \
		.kind = UW_RULE_FRAME, .cfa_kind = UW_CFA_REG, .cfa_reg = (fp), .cfa_off = 2 * (word),                \
		.ra_place = UW_PLACE_CFA_MEM, .ra_off = -(word), .fp_place = UW_PLACE_CFA_MEM, .fp_off = -2 * (word), \
		.base_slot = UW_BASE_LOST,                                                                            \
	}

const struct uw_rule uw_rule_frame_pointer_x86 = FRAME_POINTER_RULE(UW_X86_FP, 8);
const struct uw_rule uw_rule_frame_pointer_i386 = FRAME_POINTER_RULE(UW_I386_FP, 4);
