// SPDX-License-Identifier: GPL-2.0
// Where the functions that are known begin and end in a stretch of code, for readers that look for others between them.
#pragma once

#include "tables/code/function.h"

#include <cstddef>
#include <map>
#include <vector>

namespace uwind {

// Places are counted from the stretch's first, in units of place_bytes.
struct FunctionExtents {
	std::vector<std::size_t> begins, ends;     // begins: rising; a function ends before each of ends
	std::map<std::size_t, std::size_t> end_of; // by beginning
	std::vector<bool> closed;                  // inside of such a function: no other begins there uncalled
};

// functions: sorted. The stretch begins at an address.
FunctionExtents extents_of(const std::vector<CodeFunction>& functions, std::uint64_t address, std::size_t places,
			   unsigned place_bytes);

} // namespace uwind
