// SPDX-License-Identifier: GPL-2.0
// Where readers of code begin.
#pragma once

#include "model/table_rows.h"

#include <cstdint>
#include <vector>

namespace uwind {

struct CodeFunction {
	std::uint64_t start = 0; // address; 32-bit Arm: bit 0 says that it is Thumb code
	std::uint64_t bytes = 0; // 0: not known
	bool certain = true;     // false: it may lie inside of a function
	bool begins = true;      // false: a part of a function; no other begins in it
	// In a sorted list: where those up to this one end, at the latest.
	std::uint64_t reach = 0;
};

// What is known of a file beside its code, on 64-bit machines and i386.
struct CodeHints {
	Arch arch;
	std::vector<CodeFunction> functions;  // sorted
	std::vector<std::uint64_t> no_return; // what these addresses (sorted) are called for does not return
};

} // namespace uwind
