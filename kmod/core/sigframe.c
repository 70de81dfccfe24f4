// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The signal frame of the ABI: what the kernel saved when it delivered a
 * signal. pc is in the code that returns from it, SP at the frame's start.
 *
 *   x86-64: SP is at struct ucontext; the general registers begin at SP + 40.
 *   arm64:  SP is at struct rt_sigframe; its 128 bytes of siginfo, the 176 of
 *           ucontext before the mcontext, and fault_address come before x0.
 *   i386:   four segment registers come first in struct sigcontext.
 *   Arm:    three words about the fault come first in struct sigcontext.
 *
 * Where 32-bit struct sigcontext lies depends on the kind of signal frame and on
 * what the code that returns from it has popped: the rule says it (cfa_off).
 *
 * All registers are read, because the interrupted function's rule may need any.
 */
#include "rule.h"
#include "stack_read.h"

#define ARM_STATUS_THUMB 5 /* bit of CPSR */

/* Where registers lie, from SP plus the rule's offset; in the order of DWARF numbers. */
struct layout {
	u16 first;
	u16 pc; /* on 32-bit Arm, the status register follows */
	u8 nr;
	u8 order[UW_NR_REGS];
};

static const struct layout layouts[UW_NR_ARCHES] = {
	[UW_ARCH_X86_64] = { 40, 168, 16, { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7 } },
	[UW_ARCH_ARM64] = { 312, 568, 32, { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
					    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 } },
	[UW_ARCH_I386] = { 16, 56, 8, { 7, 6, 5, 4, 3, 2, 1, 0 } },
	[UW_ARCH_ARM] = { 12, 72, 15, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 } },
};

enum uw_stop uw_sigframe_apply(const struct uw_rule *rule, enum uw_arch arch, struct uw_regs *regs,
			       struct uw_port *port)
{
	const struct layout *layout = &layouts[arch];
	const struct uw_abi *abi = &uw_abis[arch];
	u64 sp = regs->r[abi->sp] + (u64)(s64)rule->cfa_off;
	enum uw_stop stop;
	u64 status = 0;
	u32 known = 0;
	u32 i;

	if (!(regs->known >> abi->sp & 1))
		return UW_STOP_LOST_REGISTER;
	for (i = 0; i < layout->nr; i++) {
		u8 reg = layout->order[i];

		stop = uw_stack_read(port, sp + layout->first + (u64)abi->word * i, &regs->r[reg]);
		if (stop != UW_STOP_NONE)
			return stop;
		known |= 1u << reg;
	}
	stop = uw_stack_read(port, sp + layout->pc, &regs->pc);
	if (stop != UW_STOP_NONE)
		return stop;
	regs->thumb = false;
	if (abi->lr == UW_ARM_LR) {
		stop = uw_stack_read(port, sp + layout->pc + abi->word, &status);
		regs->thumb = status >> ARM_STATUS_THUMB & 1;
	}
	regs->known = known;
	regs->on_stack = 0;
	return stop;
}
