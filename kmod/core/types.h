/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The unwinder's vocabulary: registers, rules, stop reasons.
 *
 * Everything in core/ is pure C that compiles in the kernel and in user space.
 * It includes uw_port.h, found by the include path, and its own headers only.
 */
#ifndef UW_TYPES_H
#define UW_TYPES_H

#include "uw_port.h"
#include "uwind_words.h"

enum uw_arch { UW_ARCH_NONE, UW_ARCH_X86_64, UW_ARCH_ARM64, UW_ARCH_I386, UW_ARCH_ARM, UW_NR_ARCHES };

#define UW_ENUM_STOP(name, json, complete) UW_STOP_##name,
enum uw_stop { UWIND_STOP_LIST(UW_ENUM_STOP) UW_NR_STOPS };

#define UW_ENUM_METHOD(name, json) UW_METHOD_##name,
enum uw_method { UWIND_METHOD_LIST(UW_ENUM_METHOD) UW_NR_METHODS };

/*
 * DWARF register numbers (System V psABI x86-64, fig. 3.36, and i386, table
 * 2.14; AADWARF64, 4.1; AADWARF32, 4.1).
 */
enum {
	UW_I386_BX = 3,
	UW_I386_SP = 4,
	UW_I386_FP = 5,
	UW_I386_RA = 8,
	UW_ARM_R7 = 7,
	UW_ARM_FP = 11,
	UW_ARM_SP = 13,
	UW_ARM_LR = 14,
	UW_ARM_PC = 15,
	UW_X86_BX = 3,
	UW_X86_FP = 6,
	UW_X86_SP = 7,
	UW_X86_RA = 16,
	UW_ARM64_FP = 29,
	UW_ARM64_LR = 30,
	UW_ARM64_SP = 31,
	UW_NR_REGS = 32,
};

/*
 * Registers of one frame, by DWARF number. A register is only meaningful if
 * its bit in known is set: of a caller's registers we learn SP, FP, and the base
 * register of the ABI. That one is rarely used, so it stays on the stack until
 * it is: if its bit in on_stack is set, r[] is the address where its value lies.
 */
struct uw_regs {
	u64 pc;
	u64 r[UW_NR_REGS];
	u32 known;
	u32 on_stack;
	bool thumb; /* 32-bit Arm: the code at pc is Thumb */
};

#define UW_STACK_BYTES_UNKNOWN (~0u)

/* The rule kinds, CFA kinds and places are those of uwind.h, same values. */
enum uw_rule_kind {
	UW_RULE_NONE,
	UW_RULE_FRAME,
	UW_RULE_OUTERMOST,
	UW_RULE_SIGFRAME,
	UW_RULE_THREAD_START,
	UW_RULE_UNKNOWN,
	UW_RULE_READ,
	UW_RULE_CLONE,
	UW_NR_RULE_KINDS,
};

/* The result of a system call: rax, eax, x0 and r0 have the same DWARF number. */
#define UW_RESULT_REG 0

enum uw_cfa_kind { UW_CFA_REG, UW_CFA_MEM, UW_NR_CFA_KINDS };

enum uw_place {
	UW_PLACE_SAME,
	UW_PLACE_CFA_MEM,
	UW_PLACE_CFA_VAL,
	UW_PLACE_REG_MEM,
	UW_PLACE_REG_VAL,
	UW_PLACE_LOST,
	UW_NR_PLACES,
};

#define UW_BASE_LOST 255 /* UWIND_BASE_LOST */

/* Layout and meaning: struct uwind_rule in uwind.h. */
struct uw_rule {
	u8 kind;
	u8 cfa_kind;
	u8 cfa_reg;
	u8 ra_place;
	u8 ra_reg;
	u8 fp_place;
	u8 fp_reg;
	u8 base_slot;
	s32 cfa_off;
	s32 cfa_add;
	s32 ra_off;
	s32 fp_off;
};

/* Why input was refused: the offending byte's offset, and a static sentence. */
struct uw_reject {
	u64 offset;
	const char *why;
};

#define UW_NO_REG 255

/* What differs between the ABIs. Registers are DWARF numbers, or UW_NO_REG. */
struct uw_abi {
	u8 word; /* bytes */
	u8 nr_regs;
	u8 sp;
	u8 fp;
	u8 base; /* another register that code counts its CFA from */
	u8 lr;   /* where calls put the return address, if not on the stack */
};

/*
 * What is between the braces of a struct uw_abi. 32-bit Arm has two frame pointers: r11, and in Thumb code r7, a base
 * register here; compat_arm.c knows which to follow.
 */
#define UW_ABI_X86_64 8, UW_X86_RA, UW_X86_SP, UW_X86_FP, UW_X86_BX, UW_NO_REG
#define UW_ABI_ARM64  8, UW_NR_REGS, UW_ARM64_SP, UW_ARM64_FP, UW_NO_REG, UW_ARM64_LR
#define UW_ABI_I386   4, UW_I386_RA, UW_I386_SP, UW_I386_FP, UW_I386_BX, UW_NO_REG
#define UW_ABI_ARM    4, UW_ARM_PC, UW_ARM_SP, UW_ARM_FP, UW_ARM_R7, UW_ARM_LR

/* By enum uw_arch; NONE has no word. */
extern const struct uw_abi uw_abis[UW_NR_ARCHES];

static inline u8 uw_arch_fp(enum uw_arch arch)
{
	return uw_abis[arch].fp;
}

static inline u8 uw_arch_sp(enum uw_arch arch)
{
	return uw_abis[arch].sp;
}

#endif
