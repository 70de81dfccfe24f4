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
	const auto covers = [&](const Row& row) { return table.rules[row.rule].kind != UW_RULE_NONE; };
	const auto add = [&](std::uint32_t start, std::uint32_t end) {
		if (start < end)
			gaps.push_back({start, end});
	};
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), range.start,
				    [](std::uint32_t at, const Row& row) { return at < row.start; });
	bool covered = row != table.rows.begin() && covers(row[-1]);
	std::uint32_t from = range.start;
	for (; row != table.rows.end() && row->start < range.end; ++row) {
		if (covers(*row) == covered)
			continue;
		if (!covered)
			add(from, row->start);
		covered = !covered;
		from = row->start;
	}
	if (!covered)
		add(from, range.end);
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
