// SPDX-License-Identifier: GPL-2.0
// The system calls clone() and clone3() as C libraries make threads with them:
//
//   mov $56, %eax; syscall; test %rax, %rax; …; je thread; ret
//   thread: xor %ebp, %ebp; pop %rax; pop %rdi; call *%rax
//
// Others jump over the new thread's code, or leave it by a jump. A process that is made in this way keeps the old
// stack. A thread is recognised by CFI that says so, by a frame pointer that is cleared, by a pop of more than was
// pushed, or, where there is no CFI, by a plain call through a register.
//
// Two threads come out of the system call. The old one is where it was; the new one has
// another stack, with no frame on it. Up to the branch nothing but the result of the call
// shows which thread a pc belongs to, and CFI, which cannot say that, ends (glibc on
// x86) or is right for the old thread only (glibc on arm64).
#pragma once

#include "elf/file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// File offsets.
struct CloneCall {
	std::uint32_t before = 0;         // the instruction before the system call
	std::uint32_t call = 0;           // the system call
	OffsetRange either = {};          // code of both threads after it, to the branch's end
	OffsetRange thread = {};          // the new thread's, to the end of its first call; empty: CFI describes it
	std::uint64_t either_address = 0; // of either.start
};

// cfi: the rows of CFI that is accepted; stated: what any CFI says of the ends of stacks.
std::vector<CloneCall> clone_calls(const ElfFile& file, const TableRows& cfi, const TableRows& stated);

// Where table has nothing to say of the code from the system call to the old thread's
// return: the row before it, as what is popped there changes it. And the new thread's beginning.
std::vector<Stretch> clone_stretches(const ElfFile& file, const TableRows& table, const std::vector<CloneCall>& calls);

// The frames of code of both threads become rules of kind CLONE; the new thread's code has none.
void set_clone_rules(TableRows& table, const std::vector<CloneCall>& calls);

} // namespace uwind
