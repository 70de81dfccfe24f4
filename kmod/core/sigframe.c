// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The signal frame of the ABI: what the kernel saved when it delivered a
 * signal. pc is in the code that returns from it, SP at the frame's start.
 *
 *   x86-64: SP is at struct ucontext; the general registers begin at SP + 40.
 *   arm64:  SP is at struct rt_sigframe; its 128 bytes of siginfo, the 176 of
 *           ucontext before the mcontext, and fault_address come before x0.
 *
 * All registers are read, because the interrupted function's rule may need any.
 */
#include "rule.h"
#include "stack_read.h"

#define X86_GREGS 40
#define ARM64_X0  312

/* DWARF numbers in the order of the saved registers. */
static const u8 x86_order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};

#define X86_NR_SAVED   ((u32)sizeof(x86_order))
#define ARM64_NR_SAVED 32u

enum uw_stop uw_sigframe_apply(enum uw_arch arch, struct uw_regs *regs, struct uw_port *port)
{
	bool arm64 = arch == UW_ARCH_ARM64;
	u64 address = regs->r[uw_arch_sp(arch)] + (arm64 ? ARM64_X0 : X86_GREGS);
	u32 count = arm64 ? ARM64_NR_SAVED : X86_NR_SAVED;
	enum uw_stop stop;
	u32 known = 0;
	u32 i;

	if (!(regs->known >> uw_arch_sp(arch) & 1))
		return UW_STOP_LOST_REGISTER;
	for (i = 0; i < count; i++) {
		u8 reg = arm64 ? (u8)i : x86_order[i];

		stop = uw_stack_read(port, address + 8 * i, &regs->r[reg]);
		if (stop != UW_STOP_NONE)
			return stop;
		known |= 1u << reg;
	}
	stop = uw_stack_read(port, address + 8 * count, &regs->pc);
	if (stop != UW_STOP_NONE)
		return stop;
	regs->known = known;
	regs->on_stack = 0;
	return UW_STOP_NONE;
}
