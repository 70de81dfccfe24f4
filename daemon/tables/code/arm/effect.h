// SPDX-License-Identifier: GPL-2.0
// What an instruction of 32-bit Arm does to a frame, and what a jump does with it.
#pragma once

#include "tables/code/arm/frame.h"
#include "tables/isa/arm/instruction.h"

namespace uwind {

// As if the instruction's condition held. After a call: as it is when the call has returned.
void execute(const ArmInstruction& instruction, ArmFrame& frame);

// Stores the return address on top of the stack.
bool pushes_link(const ArmInstruction& instruction);

// A jump through a register or memory goes back to the caller.
bool jumps_back(const ArmInstruction& instruction, const ArmFrame& frame);

// What looks like a return is a jump through LR, which was computed.
bool jumps_through_computed_link(const ArmInstruction& instruction, const ArmFrame& frame);

// A return would not find the return address, the caller's SP, or its frame pointers.
bool returns_wrongly(const ArmInstruction& instruction, const ArmFrame& frame);

} // namespace uwind
