// SPDX-License-Identifier: GPL-2.0
#include "traced.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
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

constexpr std::uint64_t breakpoint = 0xcc, breakpoint_mask = 0xff;

void set_pc(NativeRegisters& native, std::uint64_t pc)
{
	native.rip = pc;
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

constexpr std::uint64_t breakpoint = 0xd4200000, breakpoint_mask = 0xffffffff;

void set_pc(NativeRegisters& native, std::uint64_t pc)
{
	native.pc = pc;
}

#endif

bool move(__ptrace_request request, pid_t tid, NativeRegisters& native)
{
	iovec area{&native, sizeof(native)};
	return ptrace(request, tid, NT_PRSTATUS, &area) == 0;
}

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
	if (!move(PTRACE_GETREGSET, tid, native))
		return false;
	regs = uw_regs{};
	translate(native, regs);
	return true;
}

pid_t start(char** command)
{
	const pid_t pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
		execvp(command[0], command);
		std::perror(command[0]);
		_exit(127);
	}
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_EXITKILL);
	return pid;
}

bool run_to(pid_t tid, std::uint64_t address)
{
	const auto at = reinterpret_cast<void*>(address);
	const auto code = static_cast<std::uint64_t>(ptrace(PTRACE_PEEKTEXT, tid, at, nullptr));
	int status = 0;
	NativeRegisters native;
	if (ptrace(PTRACE_POKETEXT, tid, at, (code & ~breakpoint_mask) | breakpoint) != 0 ||
	    ptrace(PTRACE_CONT, tid, nullptr, nullptr) != 0 || waitpid(tid, &status, 0) != tid || !WIFSTOPPED(status) ||
	    WSTOPSIG(status) != SIGTRAP || !move(PTRACE_GETREGSET, tid, native))
		return false;
	set_pc(native, address);
	return move(PTRACE_SETREGSET, tid, native) && ptrace(PTRACE_POKETEXT, tid, at, code) == 0;
}

} // namespace truth
