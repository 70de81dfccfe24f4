// SPDX-License-Identifier: GPL-2.0
#include "registers.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include <algorithm>
#include <iterator>

namespace truth {

namespace {

#if defined(__x86_64__)

using NativeRegisters = user_regs_struct;

void translate(const NativeRegisters& native, uw_regs& regs)
{
	const unsigned long long values[] = {native.rax, native.rdx, native.rcx, native.rbx, native.rsi, native.rdi,
					     native.rbp, native.rsp, native.r8,  native.r9,  native.r10, native.r11,
					     native.r12, native.r13, native.r14, native.r15};
	std::copy(std::begin(values), std::end(values), regs.r);
	regs.pc = native.rip;
	regs.known = (1u << std::size(values)) - 1;
}

#elif defined(__aarch64__)

using NativeRegisters = user_regs_struct;

void translate(const NativeRegisters& native, uw_regs& regs)
{
	std::copy(std::begin(native.regs), std::end(native.regs), regs.r);
	regs.r[UW_ARM64_SP] = native.sp;
	regs.pc = native.pc;
	regs.known = ~0u;
}

#endif

} // namespace

uw_arch own_arch()
{
#if defined(__aarch64__)
	return UW_ARCH_ARM64;
#else
	return UW_ARCH_X86_64;
#endif
}

bool read_registers(pid_t tid, uw_regs& regs)
{
	NativeRegisters native;
	iovec area{&native, sizeof(native)};
	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &area) != 0)
		return false;
	regs = uw_regs{};
	translate(native, regs);
	return true;
}

} // namespace truth
