// SPDX-License-Identifier: GPL-2.0
// A try at a function of 32-bit Arm code that can be taken up again. A function is scouted for what it calls, and tried
// once more when that has been read: mostly, nothing has changed that the try depends on.
//
// While a function waits, others are settled, or found not to return, or found not to begin where they seemed to, and
// calls are blamed. A try depends on such changes at the places of its own instructions and data, and at those where
// its paths end. What it met that was settled or data stays so, with its frame, and no function begins there any more:
// that holds for what made no sense, too.
#pragma once

#include "tables/code/arm/findings.h"
#include "tables/code/arm/last_calls.h"
#include "tables/code/arm/proof.h"

#include <vector>

namespace uwind {

struct ArmKeptTry {
	ArmTried tried;
	ArmFindings findings;
	std::size_t steps; // that it took

	// Of all its lists: what it takes.
	std::size_t entries() const;
};

// Followed again, its paths would leave it as they did, and take the same calls for the last ones.
bool still_holds(const ArmKeptTry& kept, const ArmProof& proof, const ArmLastCalls& last_calls);

} // namespace uwind
