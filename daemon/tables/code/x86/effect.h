// SPDX-License-Identifier: GPL-2.0
// What an x86 instruction does to a frame.
#pragma once

#include "tables/code/x86/frame.h"
#include "tables/isa/x86/instruction.h"

namespace uwind {

// After a call: as it is when the call has returned.
void execute(const X86Instruction& instruction, X86Frame& frame);

// A call of the next instruction, which only pushes the pc.
void execute_call_of_next(X86Frame& frame);

// An instruction after which SP is no known number of bytes from where it was.
bool loses_sp_x86(const X86Instruction& instruction, Arch arch);

} // namespace uwind
