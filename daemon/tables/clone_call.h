// SPDX-License-Identifier: GPL-2.0
// The system calls clone() and clone3() as C libraries make threads with them:
//
//   mov $56, %eax; syscall; test %rax, %rax; …; je thread; ret
//   thread: xor %ebp, %ebp; pop %rax; pop %rdi; call *%rax
//
// Two threads come out of the system call. The old one is where it was; the new one has
// another stack, with no frame on it. Up to the branch nothing but the result of the call
// tells which thread a pc belongs to, and CFI, which cannot say that, ends (glibc on
// x86) or is right for the old thread only (glibc on arm64).
#pragma once

#include "tables/elf_file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// File offsets.
struct CloneCall {
	std::uint32_t before = 0;         // the instruction that names the system call
	std::uint32_t call = 0;           // the system call
	OffsetRange either = {};          // code of both threads behind it, to the branch's end
	OffsetRange thread = {};          // the new thread's, to the end of its first call
	std::uint64_t either_address = 0; // of either.start
};

std::vector<CloneCall> clone_calls(const ElfFile& file);

// Where table has nothing to say of the code from the system call to the old thread's
// return: the row before it, as what is popped there changes it. And the new thread's beginning.
std::vector<Stretch> clone_stretches(const ElfFile& file, const TableRows& table, const std::vector<CloneCall>& calls);

// The frames of code of both threads become rules of kind CLONE.
void tell_threads_apart(TableRows& table, const std::vector<CloneCall>& calls);

} // namespace uwind
