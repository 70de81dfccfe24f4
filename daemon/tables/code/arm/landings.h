// SPDX-License-Identifier: GPL-2.0
// Where exceptions land in 32-bit Arm code, no path leads to; the frame there is one of those after calls of the
// function around it.
#pragma once

#include "tables/code/arm/findings.h"
#include "tables/code/arm/proof.h"
#include "tables/code/arm/text.h"

#include <vector>

namespace uwind {

// Whether a function saves its return address there.
bool is_prologue(const ArmInstruction& instruction);

// Code is passed in the order of its places.
class ArmLandings {
public:
	ArmLandings(const ArmText& text, ArmProof& proof) : text_(text), proof_(proof) {}

	// What is settled there.
	void pass(std::size_t start, std::size_t end);
	// Of the function that was passed last: those that have saved the return address, each once; beyond the limit
	// there is one too many, which says so.
	const std::vector<ArmFrameNumber>& frames() const { return frames_; }

private:
	ArmInstruction decoded(std::size_t at) const;
	void note(const ArmInstruction& call, ArmFrameNumber frame);

	const ArmText& text_;
	ArmProof& proof_;
	std::vector<ArmFrameNumber> frames_;
};

} // namespace uwind
