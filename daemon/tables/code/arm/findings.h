// SPDX-License-Identifier: GPL-2.0
// What a try at a function of 32-bit Arm code comes to, beside the frames at its places.
#pragma once

#include "tables/code/arm/frame_set.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace uwind {

// A call of a function that may lie elsewhere.
struct ArmCall {
	std::uint32_t from, target; // addresses
	bool thumb;
	bool last; // it was taken for one that does not return, because of its target
};

// Frames that code may have to which no path leads: of more, none is tried.
inline constexpr std::size_t max_arm_candidates = 8;

// The place of a call, with or without a target that is known.
struct ArmCallSite {
	std::size_t at;
	bool blamed; // for what came after it, by another try
};

// A path ended where another function begins, or where nothing does and it made no sense.
struct ArmExit {
	std::size_t at;
	bool begins, settled;
};

// Frames are numbers in ArmProof's set, each once.
struct ArmFindings {
	std::vector<ArmCall> calls;
	std::vector<ArmCallSite> sites;
	std::vector<ArmExit> exits;
	std::vector<ArmFrameNumber> jumps; // at computed jumps

	void clear()
	{
		calls.clear();
		sites.clear();
		exits.clear();
		jumps.clear();
	}
};

} // namespace uwind
