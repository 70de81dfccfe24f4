// SPDX-License-Identifier: GPL-2.0
// A file has few segments, so a linear search is fastest.
#include "elf/segments.h"

#include <cerrno>
#include <cstdio>

namespace uwind {

const Segment* find_segment(const std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes)
{
	for (const Segment& segment : segments)
		if (segment_holds(segment, address, bytes))
			return &segment;
	return nullptr;
}

std::optional<OffsetRange> offsets_of(const std::vector<Segment>& segments, std::uint64_t address, std::uint64_t bytes)
{
	const Segment* segment = find_segment(segments, address, bytes);
	if (!segment)
		return {};
	const std::uint64_t start = address - segment->address + segment->offset;
	if (start > max_offset || bytes > max_offset - start)
		return {};
	return OffsetRange{static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(start + bytes)};
}

Error offset_error(std::uint64_t offset)
{
	char text[128];
	std::snprintf(text, sizeof(text), "code reaches to file offset 0x%llx; tables go up to 4 GiB",
		      static_cast<unsigned long long>(offset));
	return Error{EFBIG, text};
}

} // namespace uwind
