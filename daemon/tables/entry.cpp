// SPDX-License-Identifier: GPL-2.0
// Both are for gaps only: what has CFI keeps it.
#include "tables/entry.h"

#include "tables/segments.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <cstring>

namespace uwind {
namespace {

constexpr std::uint64_t unknown_entry_bytes = 256;
constexpr std::uint64_t max_entry_bytes = 4096;
constexpr std::uint64_t max_vdso_bytes = 64 << 10;

Rule plain_rule(std::uint8_t kind)
{
	Rule rule;
	rule.kind = kind;
	return rule;
}

// The end of the stretch without rows that begins at start, at most end.
std::uint32_t gap_end(const TableRows& table, std::uint32_t start, std::uint32_t end)
{
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), start,
				    [](std::uint32_t at, const Row& row) { return at < row.start; });
	const auto covered = [&](const Row& at) { return table.rules[at.rule].kind != UW_RULE_NONE; };
	if (row != table.rows.begin() && covered(row[-1]))
		return start;
	while (row != table.rows.end() && !covered(*row))
		++row;
	return row == table.rows.end() ? end : std::min(end, row->start);
}

} // namespace

std::optional<Stretch> entry_stretch(const ElfFile& file, const TableRows& table)
{
	const Segment* segment = find_segment(file.segments(), file.entry(), 1);
	if (!file.entry() || !segment)
		return {};
	std::uint64_t bytes = file.symbol_bytes(file.entry());
	bytes = bytes ? std::min(bytes, max_entry_bytes) : unknown_entry_bytes;
	bytes = std::min(bytes, segment->bytes - (file.entry() - segment->address));
	const auto range = offsets_of(file.segments(), file.entry(), bytes);
	if (!range)
		return {};
	const std::uint32_t end = gap_end(table, range->start, range->end);
	if (end == range->start)
		return {};
	return Stretch{range->start, end, plain_rule(UW_RULE_OUTERMOST)};
}

std::optional<Stretch> signal_return_stretch(const ElfFile& file)
{
	constexpr std::uint32_t code[] = {0xd2801168, 0xd4000001}; // mov x8, #139; svc #0
	if (file.arch() != Arch::arm64)
		return {};
	for (const Segment& segment : file.segments()) {
		if (segment.bytes > max_vdso_bytes)
			continue;
		const Bytes text = file.read(segment.address, segment.bytes);
		for (std::uint64_t at = 4; at + sizeof(code) <= text.size(); at += 4) {
			if (std::memcmp(text.data() + at, code, sizeof(code)))
				continue;
			const auto range = offsets_of(file.segments(), segment.address + at, sizeof(code));
			if (range)
				return Stretch{range->start - 1, range->end, plain_rule(UW_RULE_SIGFRAME)};
		}
	}
	return {};
}

} // namespace uwind
