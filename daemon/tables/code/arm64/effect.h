// SPDX-License-Identifier: GPL-2.0
// What an arm64 instruction does to a frame.
#pragma once

#include "tables/code/arm64/frame.h"

namespace uwind {

// An instruction that is no branch; of calls, what they do to the link register.
void execute(std::uint32_t word, Arm64Frame& frame);

// The instruction begins a function, whatever runs into it.
bool begins_function(std::uint32_t word, const Arm64Frame& frame);

} // namespace uwind
