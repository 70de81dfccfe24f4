// SPDX-License-Identifier: GPL-2.0
// Conditional instructions of 32-bit Arm: an epilogue may be made of several that belong together.
#pragma once

#include "tables/code/arm/text.h"

#include <vector>

namespace uwind {

struct ArmStep {
	std::size_t at;
	ArmInstruction instruction;
	bool opposite; // it is executed at the test's other outcome
};

// Instructions whose conditions are one test's outcomes; next: the place after them.
struct ArmBlock {
	std::vector<ArmStep> steps;
	std::size_t next;
};

// A conditional branch is a block of its own: what follows, at next, does not depend on its test.
bool is_lone_branch(const ArmInstruction& branch, std::size_t next, const ArmText& text, bool thumb);

// Makes block the one that begins with an instruction. No steps: it is not understood.
void read_block(std::size_t at, const ArmInstruction& first, const ArmText& text, bool thumb, ArmBlock& block);

} // namespace uwind
