// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 *   bti c, or paciasp           the return address is in the link register
 *   stp x29, x30, [sp, #-n]!    the same
 *   mov x29, sp                 FP and LR are saved, if the instruction before is the stp
 *   ...
 *   ldp x29, x30, [sp], #n      the frame pointer's frame
 *   ret                         the return address is in the link register
 *
 * Other instructions between the first three are not looked for; see prologue_x86.c,
 * the twin. Encodings: Arm Architecture Reference Manual, C4.1.
 */
#include "prologue.h"
#include "uw_port_walk.h"

static bool is_store_of_record(u32 code)
{
	return (code & 0xffe07fff) == 0xa9a07bfd;
}

static bool is_mov(u32 code)
{
	return code == 0x910003fd;
}

static bool is_marker(u32 code)
{
	return code == 0xd503245f || code == 0xd503233f;
}

/* ret, retaa, retab */
static bool is_ret(u32 code)
{
	return code == 0xd65f03c0 || code == 0xd65f0bff || code == 0xd65f0fff;
}

/* n of stp x29, x30, [sp, #-n]! */
static s32 record_bytes(u32 code)
{
	return 8 * (128 - (s32)(code >> 15 & 127));
}

/* The n-th instruction of some code. */
static u32 nth(const u8 *code, u32 n)
{
	u32 word;

	memcpy(&word, code + 4 * n, sizeof(word)); /* little-endian */
	return word;
}

bool uw_prologue_arm64(struct uw_port *port, u64 pc, struct uw_rule *rule)
{
	u8 code[UW_CODE_BYTES], before[UW_CODE_BYTES];
	u32 at, store;

	if (uw_port_fetch(port, pc, code))
		return false;
	at = nth(code, 0);
	*rule = (struct uw_rule){ .kind = UW_RULE_FRAME, .cfa_reg = UW_ARM64_SP };
	if (is_ret(at) || is_store_of_record(at) || (is_marker(at) && is_store_of_record(nth(code, 1))))
		return true;
	if (!is_mov(at) || uw_port_fetch(port, pc - UW_CODE_BYTES, before))
		return false;
	store = nth(before, 1);
	if (!is_store_of_record(store))
		return false;
	rule->cfa_off = record_bytes(store);
	rule->ra_place = UW_PLACE_CFA_MEM;
	rule->ra_off = 8 - rule->cfa_off;
	rule->fp_place = UW_PLACE_CFA_MEM;
	rule->fp_off = -rule->cfa_off;
	return true;
}
