// SPDX-License-Identifier: GPL-2.0
// From virtual addresses to file offsets.
#pragma once

#include "base/result.h"
#include "model/table_rows.h"

#include <optional>
#include <vector>

namespace uwind {

// Rows count file offsets in 32 bits.
inline constexpr std::uint64_t max_offset = 0xffffffff;

inline bool segment_holds(const Segment& segment, std::uint64_t address, std::uint64_t bytes)
{
	const std::uint64_t into = address - segment.address;
	return address >= segment.address && into <= segment.bytes && bytes <= segment.bytes - into;
}

// The segment that holds all of [address, address + bytes), or nullptr.
const Segment* find_segment(const std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes);

// File offsets of a stretch of code; nothing if it is in no segment, or too far.
struct OffsetRange {
	std::uint32_t start, end;
};
std::optional<OffsetRange> offsets_of(const std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes);

Error offset_error(std::uint64_t offset);

} // namespace uwind
