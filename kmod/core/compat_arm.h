/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Frame pointers of 32-bit Arm, which need more than one rule.
 */
#ifndef UW_COMPAT_ARM_H
#define UW_COMPAT_ARM_H

#include "types.h"

struct uw_port;

/*
 * Replace regs by the caller's, found by the frame pointer; they stay on failure,
 * except that r7 is read if it was on the stack. pc is a return address then: it
 * is executable, and a call lies before it, or a row says that it needs none. The
 * register that led there is known, and SP if it was an APCS frame or that of a
 * signal's handler: *stack_bytes is set then if SP was known before. Else SP's
 * value is a lower bound.
 *
 * *aapcs says whether some Thumb code was left by r11: false at first. Reads at
 * most 7 words, 15 if LR is known; those before return addresses are code.
 *
 * NO_TABLE: no frame pointer is known, or two conventions fit that disagree.
 * BAD_PC: none fits. ZERO_FP, BACKWARDS, MISALIGNED: of the frame pointer itself.
 * ZERO_RA: a record of two zeros. KILLED, or what a read said.
 */
enum uw_stop uw_compat_arm_step(struct uw_regs *regs, struct uw_port *port, bool *aapcs, u32 *stack_bytes);

/* NONE: a call lies before ra, or a row says that nobody calls what lies there. BAD_PC: neither. KILLED. */
enum uw_stop uw_compat_arm_check_call(struct uw_port *port, u64 ra);

#endif
