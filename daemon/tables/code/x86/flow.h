// SPDX-License-Identifier: GPL-2.0
// Where x86 instructions lead.
#pragma once

#include "tables/isa/x86/instruction.h"

#include <cstddef>

namespace uwind {

enum class X86Way : std::uint8_t { next, jump, branch, call, computed_jump, leave, stop };

struct X86Flow {
	X86Way way = X86Way::next;
	std::int64_t target = 0; // of jump, branch and call: counted like the instruction's own place
};

// Of an instruction at a place: a number of bytes from anywhere.
X86Flow flow_x86(const X86Instruction& instruction, std::size_t at);

// What lies between functions: int3, nops of all lengths, and blanked text. It is what code begins with.
bool is_padding_x86(const X86Instruction& instruction, Bytes code);

// Text that was blanked: zeros are an instruction that no compiler makes, add %al,(%rax), and none makes the same byte
// again and again, but for nop and int3. What is filled with ret is code.
bool is_blank_x86(Bytes code);

} // namespace uwind
