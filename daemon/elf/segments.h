// SPDX-License-Identifier: GPL-2.0
// From virtual addresses to file offsets.
#pragma once

#include "base/result.h"
#include "model/table_rows.h"

#include <optional>
#include <vector>

namespace uwind {

// Rows have 32-bit file offsets.
inline constexpr std::uint64_t max_offset = 0xffffffff;

inline bool segment_holds(const Segment& segment, std::uint64_t address, std::uint64_t bytes)
{
	const std::uint64_t into = address - segment.address;
	return address >= segment.address && into <= segment.bytes && bytes <= segment.bytes - into;
}

// The segment that contains all of [address, address + bytes); null: none.
const Segment* find_segment(const std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes);

// The file offsets of a stretch of code. Nothing: it is in no segment, or they need more than 32 bits.
struct OffsetRange {
	std::uint32_t start, end;
};
std::optional<OffsetRange> offsets_of(const std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes);

Error offset_error(std::uint64_t offset);

} // namespace uwind
