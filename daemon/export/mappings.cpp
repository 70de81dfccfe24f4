// SPDX-License-Identifier: GPL-2.0
// Where files are mapped that frames lie in.
#include "export/mappings.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::uint64_t page_bytes = 4096; // of larger pages, borders are multiples of it

std::uint64_t page_of(std::uint64_t address)
{
	return address - address % page_bytes;
}

// The segment that has an address; of a report without segments what frames lie in, as if the file had its code where
// it is mapped.
Segment segment_at(const ReportModule& module, std::uint64_t address, std::uint64_t seen_start, std::uint64_t seen_end)
{
	for (const Segment& segment : module.segments)
		if (address >= segment.address && address - segment.address < segment.bytes)
			return segment;
	const std::uint64_t start = std::min(address, seen_start), end = std::max(address + 1, seen_end);
	return {start, end - start, start};
}

} // namespace

Mappings::Mappings(const Report& report) : report_(report), seen_(report.modules.size())
{
	for (const ReportFrame& frame : report.frames) {
		if (!frame.module)
			continue;
		if (frame.kernel)
			add_kernel(frame);
		Range& range = seen_[*frame.module];
		range.start = std::min(range.start, frame.offset - (frame.offset ? 1 : 0));
		range.end = std::max(range.end, frame.offset + 1);
	}
}

void Mappings::add_kernel(const ReportFrame& frame)
{
	const std::uint64_t start = page_of(frame.address - std::min(frame.address, frame.symbol_offset));
	const std::uint64_t end = page_of(frame.address) + page_bytes;
	Mapped& mapped = kernel_.try_emplace(*frame.module, Mapped{start, end - start, 0, *frame.module}).first->second;
	const std::uint64_t last = std::max(mapped.address + mapped.bytes, end);
	mapped.address = std::min(mapped.address, start);
	mapped.bytes = last - mapped.address;
}

Mapped Mappings::of(const ReportFrame& frame, std::uint64_t address) const
{
	if (frame.kernel)
		return kernel_.at(*frame.module);
	const Range& seen = seen_[*frame.module];
	const std::uint64_t in_file = frame.offset - (frame.address - address);
	const Segment segment = segment_at(report_.modules[*frame.module], in_file, seen.start, seen.end);
	const std::uint64_t bias = frame.address - frame.offset, start = page_of(segment.address);
	const std::uint64_t end = page_of(segment.address + segment.bytes + page_bytes - 1);
	return {bias + start, end - start, segment.offset - (segment.address - start), *frame.module};
}

} // namespace uwind
