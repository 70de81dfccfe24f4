// SPDX-License-Identifier: GPL-2.0
// A gap may span several rows of kind NONE.
#include "tables/gaps.h"

extern "C" {
#include "table.h"
}

#include <algorithm>

namespace uwind {

std::vector<OffsetRange> gaps_of(const TableRows& table, OffsetRange range)
{
	std::vector<OffsetRange> gaps;
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), range.start,
				    [](std::uint32_t at, const Row& row) { return at < row.start; });
	bool covered = row != table.rows.begin() && table.rules[row[-1].rule].kind != UW_RULE_NONE;
	for (std::uint32_t at = range.start; at < range.end;) {
		const bool last = row == table.rows.end();
		const std::uint32_t next = last ? range.end : std::min(row->start, range.end);
		if (!covered && next > at && !gaps.empty() && gaps.back().end == at)
			gaps.back().end = next;
		else if (!covered && next > at)
			gaps.push_back({at, next});
		at = next;
		if (!last)
			covered = table.rules[(row++)->rule].kind != UW_RULE_NONE;
	}
	return gaps;
}

namespace {

bool is_none(const TableRows& table, const Row& row)
{
	return table.rules[row.rule].kind == UW_RULE_NONE;
}

// Before the first row, and after the last one, of a segment.
void close_ends(TableRows& table, const std::vector<Segment>& segments, std::uint32_t unknown)
{
	for (const Segment& segment : segments) {
		const auto range = offsets_of(segments, segment.address, segment.bytes);
		const Row first = table.rows.front(), last = table.rows.back();
		if (!range)
			continue;
		if (range->end > last.start && range->end - last.start <= max_closed_gap_bytes &&
		    is_none(table, last)) {
			table.rows.back().rule = unknown;
			table.rows.push_back({range->end, last.rule});
		}
		if (range->start < first.start && first.start - range->start <= max_closed_gap_bytes)
			table.rows.insert(table.rows.begin(), {range->start, unknown});
	}
}

} // namespace

void close_gaps(TableRows& table, const std::vector<Segment>& segments)
{
	const auto unknown = static_cast<std::uint32_t>(table.rules.size());
	if (table.rows.empty() || unknown == UW_MAX_RULES || table.rows.size() + 2 > UW_MAX_ROWS)
		return;
	table.rules.push_back(Rule{});
	table.rules.back().kind = UW_RULE_UNKNOWN;
	for (std::size_t i = 0; i + 1 < table.rows.size(); i++)
		if (is_none(table, table.rows[i]) &&
		    table.rows[i + 1].start - table.rows[i].start <= max_closed_gap_bytes)
			table.rows[i].rule = unknown;
	close_ends(table, segments, unknown);
}

} // namespace uwind
