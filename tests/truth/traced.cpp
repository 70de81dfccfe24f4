// SPDX-License-Identifier: GPL-2.0
#include "traced.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

namespace truth {

namespace {

struct Breakpoint {
	std::uint64_t code, mask;
};

// Arm's are those that its Linux takes for breakpoints, undefined instructions.
Breakpoint breakpoint_for(uw_arch arch, bool thumb)
{
	switch (arch) {
	case UW_ARCH_ARM64:
		return {0xd4200000, 0xffffffff};
	case UW_ARCH_ARM:
		return thumb ? Breakpoint{0xde01, 0xffff} : Breakpoint{0xe7f001f0, 0xffffffff};
	default:
		return {0xcc, 0xff};
	}
}

std::uint64_t place_of(uw_arch arch, std::uint64_t address)
{
	return arch == UW_ARCH_ARM ? address & ~1ull : address;
}

template <typename Entry>
std::uint64_t entry_in(std::ifstream& vector)
{
	Entry entry;
	while (vector.read(reinterpret_cast<char*>(&entry), sizeof(entry)))
		if (entry.a_type == AT_ENTRY)
			return entry.a_un.a_val;
	return 0;
}

// An x86 breakpoint has been executed when it stops, those of Arm have not.
bool stopped_behind(pid_t tid, uw_arch arch, uw_regs& regs)
{
	int status = 0;
	if (ptrace(PTRACE_CONT, tid, nullptr, nullptr) != 0 || waitpid(tid, &status, 0) != tid || !WIFSTOPPED(status) ||
	    WSTOPSIG(status) != SIGTRAP || !read_registers(tid, regs))
		return false;
	regs.pc -= arch == UW_ARCH_X86_64 || arch == UW_ARCH_I386;
	return true;
}

} // namespace

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

std::uint64_t entry_of(pid_t pid)
{
	std::ifstream vector("/proc/" + std::to_string(pid) + "/auxv", std::ios::binary);
	return uw_abis[arch_of(pid)].word == 4 ? entry_in<Elf32_auxv_t>(vector) : entry_in<Elf64_auxv_t>(vector);
}

bool run_to(pid_t tid, const std::vector<std::uint64_t>& addresses)
{
	const uw_arch arch = arch_of(tid);
	std::vector<std::uint64_t> code;
	for (const std::uint64_t address : addresses) {
		const auto at = reinterpret_cast<void*>(place_of(arch, address));
		const Breakpoint breakpoint = breakpoint_for(arch, address & 1);
		code.push_back(static_cast<std::uint64_t>(ptrace(PTRACE_PEEKTEXT, tid, at, nullptr)));
		if (ptrace(PTRACE_POKETEXT, tid, at, (code.back() & ~breakpoint.mask) | breakpoint.code) != 0)
			return false;
	}
	uw_regs regs;
	const bool stopped = stopped_behind(tid, arch, regs);
	bool there = false;
	for (std::size_t i = addresses.size(); i-- > 0;) {
		const std::uint64_t place = place_of(arch, addresses[i]);
		ptrace(PTRACE_POKETEXT, tid, reinterpret_cast<void*>(place), code[i]);
		there |= stopped && regs.pc == place;
	}
	return there && set_pc(tid, regs.pc);
}

} // namespace truth
