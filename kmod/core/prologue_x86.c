// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 *   endbr64                 the return address is at SP
 *   push %rbp               the same
 *   mov %rsp,%rbp           it lies above the caller's FP, if the instruction before is the push
 *   ...
 *   pop %rbp, or leave      the frame pointer's frame
 *   ret                     the return address is at SP
 *
 * i386 has the same without REX prefixes. Other instructions between the first
 * three are not looked for: instructions cannot be decoded backwards.
 */
#include "prologue.h"
#include "uw_port_walk.h"

static bool is_push(const u8 *code)
{
	return code[0] == 0x55;
}

/* mov %rsp,%rbp in both encodings. */
static bool is_mov(const u8 *code, u8 word)
{
	if (word == 8 && *code++ != 0x48)
		return false;
	return (code[0] == 0x89 && code[1] == 0xe5) || (code[0] == 0x8b && code[1] == 0xec);
}

static bool is_landing(const u8 *code, u8 word)
{
	return code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == (word == 8 ? 0xfa : 0xfb);
}

static bool is_ret(const u8 *code)
{
	return code[0] == 0xc3 || code[0] == 0xc2 || (code[0] == 0xf3 && code[1] == 0xc3);
}

/* Nothing of the frame is on the stack but the return address. */
static bool is_bare(const u8 *code, u8 word)
{
	return is_ret(code) || (is_push(code) && is_mov(code + 1, word)) ||
	       (is_landing(code, word) && is_push(code + 4) && is_mov(code + 5, word));
}

bool uw_prologue_x86(struct uw_port *port, enum uw_arch arch, u64 pc, struct uw_rule *rule)
{
	const struct uw_abi *abi = &uw_abis[arch];
	u8 code[UW_CODE_BYTES], before[UW_CODE_BYTES];
	s32 pushed;

	if (uw_port_fetch(port, pc, code))
		return false;
	if (is_bare(code, abi->word))
		pushed = 0;
	else if (is_mov(code, abi->word) && !uw_port_fetch(port, pc - UW_CODE_BYTES, before) &&
		 is_push(before + UW_CODE_BYTES - 1))
		pushed = 1;
	else
		return false;
	*rule = (struct uw_rule){
		.kind = UW_RULE_FRAME,
		.cfa_reg = abi->sp,
		.cfa_off = abi->word * (1 + pushed),
		.ra_place = UW_PLACE_CFA_MEM,
		.ra_off = -abi->word,
		.fp_place = pushed ? UW_PLACE_CFA_MEM : UW_PLACE_SAME,
		.fp_off = pushed ? -2 * abi->word : 0,
	};
	return true;
}
