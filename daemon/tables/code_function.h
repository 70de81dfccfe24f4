// SPDX-License-Identifier: GPL-2.0
// Where readers of code begin.
#pragma once

#include <cstdint>

namespace uwind {

struct CodeFunction {
	std::uint64_t start = 0; // address; 32-bit Arm: bit 0 says that it is Thumb code
	std::uint64_t bytes = 0; // 0: not known
	bool certain = true;     // false: it may as well lie inside of a function
	bool begins = true;      // false: a part of a function; no other begins in it
	// In a sorted list: where those up to this one end, at the latest.
	std::uint64_t reach = 0;
};

} // namespace uwind
