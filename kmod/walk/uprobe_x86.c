// SPDX-License-Identifier: GPL-2.0
/*
 * Since 6.11 the trampoline of return probes makes a system call, where it was a trap
 * before (arm64 has the trap still). Around the call it saves registers on the stack:
 *
 *   push %rax; push %rcx; push %r11; mov $nr, %rax; syscall; pop %r11; pop %rcx; ret
 *
 * The call puts the true return address where %rax was saved.
 *
 * In 7.2 a probed no-operation of ten bytes becomes a call of such a trampoline, too,
 * below what the function may have under SP. It returns to after the no-operation:
 *
 *   lea -128(%rsp), %rsp; call 1f
 *   1: push %rcx; push %r11; push %rax; mov $nr, %rax; syscall; pop %rax; pop %r11; pop %rcx; ret $128
 */
#include <linux/string.h>
#include <linux/uaccess.h>

#include "walk/uprobe.h"

#define UW_TRAMPOLINE_BYTES 32 /* read, of a page that the kernel fills */
#define UW_LONGEST_BYTES    7  /* mov */
#define UW_RED_ZONE_BYTES   128

/* How many bytes the instruction has, 0: none of those. It may move SP by a word. */
static u32 trampoline_instruction(const u8 *code, struct uw_way_out *out)
{
	static const u8 mov_imm_rax[] = { 0x48, 0xc7, 0xc0 }, syscall[] = { 0x0f, 0x05 };
	u32 rex = code[0] == 0x41;

	switch (code[rex] & 0xf8) {
	case 0x50:
		out->sp_off -= sizeof(u64);
		return rex + 1;
	case 0x58:
		out->sp_off += sizeof(u64);
		return rex + 1;
	}
	if (!memcmp(code, mov_imm_rax, sizeof(mov_imm_rax)))
		return sizeof(mov_imm_rax) + sizeof(u32);
	if (memcmp(code, syscall, sizeof(syscall)))
		return 0;
	out->calls = true;
	return sizeof(syscall);
}

bool uw_uprobe_way_out(u64 pc, struct uw_way_out *out)
{
	u8 code[UW_TRAMPOLINE_BYTES];
	u32 at = 0, bytes;

	*out = (struct uw_way_out){ 0 };
	if (copy_from_user_nofault(code, (const void __user *)(unsigned long)pc, sizeof(code)))
		return false;
	while (at <= sizeof(code) - UW_LONGEST_BYTES) {
		if (code[at] == 0xc3)
			return true;
		if (code[at] == 0xc2) {
			memcpy(&out->dropped, code + at + 1, sizeof(out->dropped));
			out->calls = false;
			return true;
		}
		bytes = trampoline_instruction(code + at, out);
		if (!bytes)
			return false;
		at += bytes;
	}
	return false;
}

bool uw_uprobe_way_in(u64 pc, struct uw_way_in *in)
{
	static const u8 lea_call[] = { 0x48, 0x8d, 0x64, 0x24, 0x80, 0xe8 };
	u8 code[sizeof(lea_call) + sizeof(s32)];
	u64 lea = pc + 1 - sizeof(lea_call), next = lea + sizeof(code);
	s32 distance;

	if (copy_from_user_nofault(code, (const void __user *)(unsigned long)lea, sizeof(code)) ||
	    memcmp(code, lea_call, sizeof(lea_call)))
		return false;
	memcpy(&distance, code + sizeof(lea_call), sizeof(distance));
	in->trampoline = next + distance;
	in->skipped = UW_RED_ZONE_BYTES;
	return true;
}
