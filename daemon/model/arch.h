// SPDX-License-Identifier: GPL-2.0
// Architectures of code. The values are those of enum uwind_arch, and of the core.
#pragma once

#include <elf.h>

namespace uwind {

enum class Arch { none, x86_64, arm64, i386, arm };

// By an ELF header's e_machine.
constexpr Arch arch_of_machine(unsigned machine)
{
	switch (machine) {
	case EM_X86_64:
		return Arch::x86_64;
	case EM_AARCH64:
		return Arch::arm64;
	case EM_386:
		return Arch::i386;
	case EM_ARM:
		return Arch::arm;
	default:
		return Arch::none;
	}
}

// The 32-bit code that a 64-bit machine also runs.
constexpr Arch compat_of(Arch arch)
{
	return arch == Arch::x86_64 ? Arch::i386 : arch == Arch::arm64 ? Arch::arm : Arch::none;
}

constexpr unsigned word_bytes(Arch arch)
{
	return arch == Arch::i386 || arch == Arch::arm ? 4 : 8;
}

// As Debian calls it.
constexpr const char* arch_name(Arch arch)
{
	constexpr const char* names[] = {"none", "amd64", "arm64", "i386", "arm"};
	return names[static_cast<unsigned>(arch)];
}

} // namespace uwind
