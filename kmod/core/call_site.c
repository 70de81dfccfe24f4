// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A stack holds many addresses of code. This is asked where nothing but the code
 * itself shows that one of them is a return address:
 *
 *   x86    call rel32 is e8, four bytes; call r/m is ff /2, its length is in the
 *          bytes after ff (SDM volume 2A, 2.1.3 and table 2-2). Prefixes come before.
 *   arm64  bl; blr, also with authentication (Arm Architecture Reference Manual, C4.1)
 *   Arm    compat_arm.c
 *
 * Nobody calls what returns from a signal handler or begins a thread or a stack; its
 * row is enough.
 *
 * A function may begin right after a call that never returns, and a stack may hold a
 * pointer to that function. Then the row there has nothing on the stack, and the row before
 * it has something: so the two are compared.
 */
#include "call_site.h"
#include "compat_arm.h"
#include "uw_port_walk.h"

/* Bytes of ff /2, without prefixes. code has three bytes. */
static u32 indirect_call_bytes(const u8 *code)
{
	u8 mode = code[1] >> 6, rm = code[1] & 7;
	bool index = mode != 3 && rm == 4;
	u8 base = index ? code[2] & 7 : rm;

	if (mode == 2 || (mode == 0 && base == 5))
		return 2 + index + 4;
	return 2 + index + (mode == 1);
}

/* code: the UW_CODE_BYTES before an address, and one more. */
static bool ends_with_call_x86(const u8 *code)
{
	u32 bytes;

	if (code[UW_CODE_BYTES - 5] == 0xe8)
		return true;
	for (bytes = 2; bytes <= 7; bytes++) {
		const u8 *call = code + UW_CODE_BYTES - bytes;

		if (call[0] == 0xff && (call[1] & 0x38) == 0x10 && indirect_call_bytes(call) == bytes)
			return true;
	}
	return false;
}

static bool ends_with_call_arm64(const u8 *code)
{
	u32 word;

	memcpy(&word, code + UW_CODE_BYTES - sizeof(word), sizeof(word)); /* little-endian */
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000 ||
	       (word & 0xfefff800) == 0xd63f0800;
}

static bool follows_call(struct uw_port *port, enum uw_arch arch, u64 pc)
{
	u8 code[UW_CODE_BYTES + 1] = { 0 };

	if (uw_port_fetch(port, pc - UW_CODE_BYTES, code))
		return false;
	return arch == UW_ARCH_ARM64 ? ends_with_call_arm64(code) : ends_with_call_x86(code);
}

/* As at a function's first instruction. */
static bool is_bare(const struct uw_abi *abi, const struct uw_rule *rule)
{
	s32 pushed = abi->lr == UW_NO_REG ? abi->word : 0;

	return (rule->kind == UW_RULE_FRAME || rule->kind == UW_RULE_READ) && rule->cfa_kind == UW_CFA_REG &&
	       rule->cfa_reg == abi->sp && rule->cfa_off == pushed;
}

static bool is_never_called(const struct uw_rule *rule)
{
	return rule->kind == UW_RULE_SIGFRAME || rule->kind == UW_RULE_OUTERMOST || rule->kind == UW_RULE_THREAD_START;
}

enum uw_stop uw_call_site_check(struct uw_port *port, enum uw_arch arch, u64 ra)
{
	u64 pc = arch == UW_ARCH_ARM ? ra & ~1ull : ra;
	const struct uw_abi *abi = &uw_abis[arch];
	struct uw_found before, at;
	int err;

	err = uw_port_find(port, pc - 1, &before);
	if (err && err != -ENOENT)
		return err == -EINTR ? UW_STOP_KILLED : UW_STOP_BAD_PC;
	if (!err && is_never_called(&before.rule))
		return UW_STOP_NONE;
	if (!uw_port_find(port, pc, &at) && is_bare(abi, &at.rule) && (err || !is_bare(abi, &before.rule)))
		return UW_STOP_BAD_PC;
	if (arch == UW_ARCH_ARM)
		return uw_compat_arm_check_call(port, ra);
	return follows_call(port, arch, pc) ? UW_STOP_NONE : UW_STOP_BAD_PC;
}
