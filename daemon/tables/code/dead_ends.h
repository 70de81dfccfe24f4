// SPDX-License-Identifier: GPL-2.0
// Instructions that lead nowhere: for the readers of code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace uwind {

// How paths go on after an instruction.
struct Successors {
	static constexpr std::int64_t nowhere = -1;
	bool end = false; // one of them leaves the function or stops, as code does
	std::array<std::int64_t, 2> to = {nowhere, nowhere};
};

// Of these places, those all of whose paths come to where there is no instruction, or run out of
// the code. They prove nothing: they may be text that was blanked, or no code at all. A loop
// without an end is code.
std::vector<std::size_t> dead_ends(const std::vector<std::size_t>& places,
				   const std::function<Successors(std::size_t)>& successors);

} // namespace uwind
