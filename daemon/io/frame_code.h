// SPDX-License-Identifier: GPL-2.0
// Frames in the code of uwind_words.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/records.h"

namespace uwind {

// Reads count frames, and leaves in bytes what lies behind them. Nothing: they are cut
// off, or a number in them is larger than it can be or names a place that is not there.
std::optional<std::vector<StackFrame>> read_frames(std::span<const std::uint8_t>& bytes, std::size_t count);

} // namespace uwind
