// SPDX-License-Identifier: GPL-2.0
// What a log of the kernel's text has, in numbers.
#pragma once

#include <array>
#include <cstdint>

#include "model/text_log.h"

namespace uwind {

struct TextCounts {
	std::array<std::uint64_t, text_kinds> edits{};
	std::uint64_t bytes = 0;     // of text, at the end
	std::uint64_t lost = 0;      // changes that had no room
	std::uint64_t unplaced = 0;  // changes outside of every area
	std::uint64_t different = 0; // bytes that no change had explained
	std::uint64_t looks = 0;
};

} // namespace uwind
