// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * arm64 code that keeps a frame record: FP points to the caller's FP, and the
 * link register's value lies above it.
 *
 * The record may lie anywhere in its frame, so what this rule calls the CFA is
 * only a lower bound of the caller's SP; walk.c forgets SP after this step.
 */
#include "rule.h"

const struct uw_rule uw_rule_frame_pointer_arm64 = {
	.kind = UW_RULE_FRAME,
	.cfa_kind = UW_CFA_REG,
	.cfa_reg = UW_ARM64_FP,
	.cfa_off = 16,
	.ra_place = UW_PLACE_CFA_MEM,
	.ra_off = -8,
	.fp_place = UW_PLACE_CFA_MEM,
	.fp_off = -16,
};
