// SPDX-License-Identifier: GPL-2.0
// Reads frames in the encoding of uwind_words.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/records.h"

namespace uwind {

// Reads count frames; afterwards bytes has what follows them. Nothing: they are truncated,
// or a number in them is too large or refers to something that does not exist.
std::optional<std::vector<StackFrame>> read_frames(std::span<const std::uint8_t>& bytes, std::size_t count);

} // namespace uwind
