// SPDX-License-Identifier: GPL-2.0
// Which calls of 32-bit Arm code do not return. Nothing in the code says so: some functions are known, others are found
// out, and a call is blamed if what lies after it makes no sense.
#pragma once

#include "tables/code/arm/text.h"

#include <vector>

namespace uwind {

class ArmLastCalls {
public:
	// Functions at these addresses (sorted) do not return.
	ArmLastCalls(const ArmText& text, const std::vector<std::uint32_t>& elsewhere)
	    : text_(text), elsewhere_(elsewhere), functions_(text.places()), blamed_(text.places())
	{
	}

	// The function that is called, or that lies at an address, does not return.
	bool never_returns(const ArmInstruction& call) const { return call.has_target && never_returns(call.target); }
	bool never_returns(std::uint32_t function) const;
	void add_function(std::size_t at) { functions_[at] = true; }
	// The path ends at the call that lies there.
	bool is_blamed(std::size_t at) const { return blamed_[at]; }
	void blame(std::size_t at, bool blamed) { blamed_[at] = blamed; }

private:
	const ArmText& text_;
	const std::vector<std::uint32_t>& elsewhere_;
	std::vector<bool> functions_, blamed_;
};

} // namespace uwind
