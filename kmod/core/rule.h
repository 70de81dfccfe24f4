/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Applying one rule: from a frame's registers to its caller's. The only code
 * (with sigframe.c and compat_arm.c) that reads stack memory.
 */
#ifndef UW_RULE_H
#define UW_RULE_H

#include "types.h"

struct uw_port;

/*
 * Replace regs by the caller's. Returns UW_STOP_NONE, or why there is no
 * caller. *topmost says whether regs->pc is exact (not a return address):
 * it is set after a signal frame and cleared otherwise. On return
 * *stack_bytes is the size of the frame that was left, or
 * UW_STACK_BYTES_UNKNOWN: after a stop, after a signal frame, and if SP was
 * not known.
 *
 * Afterwards only SP, FP and the base register are known (the latter two unless
 * the rule loses them); after a signal frame, every register is. If SP's bit in
 * known is not set, its value still is a lower bound of the CFA: the state after
 * a frame pointer step on arm64, and most of those on 32-bit Arm. A row of arm64
 * that saves FP and LR side by side is then applied through FP.
 */
enum uw_stop uw_rule_apply(const struct uw_rule *rule, enum uw_arch arch, struct uw_regs *regs, struct uw_port *port,
			   bool *topmost, u32 *stack_bytes);

/* The rule of a frame that has been set up in the ABI's way (frame pointer). */
extern const struct uw_rule uw_rule_frame_pointer_x86;
extern const struct uw_rule uw_rule_frame_pointer_i386;
extern const struct uw_rule uw_rule_frame_pointer_arm64;

/*
 * Replace all registers by those of the ABI's signal frame at SP + cfa_off: pc is exact
 * afterwards. Returns UW_STOP_NONE, or the reason of the read that failed.
 */
enum uw_stop uw_sigframe_apply(const struct uw_rule *rule, enum uw_arch arch, struct uw_regs *regs,
			       struct uw_port *port);

#endif
