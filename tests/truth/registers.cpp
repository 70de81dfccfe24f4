// SPDX-License-Identifier: GPL-2.0
// The kernel gives a 32-bit program's registers in words of 32 bits, whoever asks:
// how many bytes it fills tells which program it is.
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

constexpr uw_arch native_arch = UW_ARCH_X86_64, compat_arch = UW_ARCH_I386;
constexpr std::size_t compat_words = 17; // struct user_regs_struct of i386

void translate_native(const user_regs_struct& native, uw_regs& regs)
{
	const unsigned long long values[] = {native.rax, native.rdx, native.rcx, native.rbx, native.rsi, native.rdi,
					     native.rbp, native.rsp, native.r8,  native.r9,  native.r10, native.r11,
					     native.r12, native.r13, native.r14, native.r15};
	std::copy(std::begin(values), std::end(values), regs.r);
	regs.pc = native.rip;
	regs.known = (1u << std::size(values)) - 1;
}

void set_native_pc(user_regs_struct& native, std::uint64_t pc)
{
	native.rip = pc;
}

// ebx, ecx, edx, esi, edi, ebp, eax; then segments, eip, cs, eflags, esp, ss.
constexpr std::size_t compat_pc = 12;

void translate_compat(const std::uint32_t* words, uw_regs& regs)
{
	constexpr std::size_t order[] = {6, 1, 2, 0, 15, 5, 3, 4};
	for (std::size_t i = 0; i < std::size(order); i++)
		regs.r[i] = words[order[i]];
	regs.pc = words[compat_pc];
	regs.known = (1u << std::size(order)) - 1;
}

#elif defined(__aarch64__)

constexpr uw_arch native_arch = UW_ARCH_ARM64, compat_arch = UW_ARCH_ARM;
constexpr std::size_t compat_words = 18; // r0 … r15, CPSR, the system call's r0

void translate_native(const user_regs_struct& native, uw_regs& regs)
{
	std::copy(std::begin(native.regs), std::end(native.regs), regs.r);
	regs.r[UW_ARM64_SP] = native.sp;
	regs.pc = native.pc;
	regs.known = ~0u;
}

void set_native_pc(user_regs_struct& native, std::uint64_t pc)
{
	native.pc = pc;
}

constexpr std::size_t compat_pc = UW_ARM_PC, status_thumb_bit = 5;

void translate_compat(const std::uint32_t* words, uw_regs& regs)
{
	std::copy(words, words + UW_ARM_PC, regs.r);
	regs.pc = words[compat_pc];
	regs.thumb = words[compat_pc + 1] >> status_thumb_bit & 1;
	regs.known = (1u << UW_ARM_PC) - 1;
}

#endif

union Area {
	user_regs_struct native;
	std::uint32_t words[compat_words];
};

// Nothing is filled: the thread is not stopped, or gone.
struct Registers {
	Area area;
	std::size_t bytes = 0;

	explicit Registers(pid_t tid)
	{
		iovec where{&area, sizeof(area)};
		if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &where) == 0)
			bytes = where.iov_len;
	}
	bool compat() const { return bytes == sizeof(area.words); }
};

} // namespace

uw_arch own_arch()
{
	return native_arch;
}

uw_arch own_compat_arch()
{
	return compat_arch;
}

uw_arch arch_of(pid_t tid)
{
	const Registers registers(tid);
	return !registers.bytes ? UW_ARCH_NONE : registers.compat() ? compat_arch : native_arch;
}

bool read_registers(pid_t tid, uw_regs& regs)
{
	const Registers registers(tid);
	regs = uw_regs{};
	if (!registers.bytes)
		return false;
	if (registers.compat())
		translate_compat(registers.area.words, regs);
	else
		translate_native(registers.area.native, regs);
	return true;
}

bool set_pc(pid_t tid, std::uint64_t pc)
{
	Registers registers(tid);
	if (registers.compat())
		registers.area.words[compat_pc] = static_cast<std::uint32_t>(pc);
	else
		set_native_pc(registers.area.native, pc);
	iovec where{&registers.area, registers.bytes};
	return registers.bytes && ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &where) == 0;
}

} // namespace truth
