// SPDX-License-Identifier: GPL-2.0
// Gives the core its memory and takes the rows out of it.
#include "tables/sframe_rows.h"

extern "C" {
#include "sframe.h"
}

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace uwind {
namespace {

static_assert(sizeof(Rule) == sizeof(uw_rule));

Error refusal(int result, const uw_sframe& sframe)
{
	if (result == -ENOENT)
		return Error{ENODATA, ".sframe describes no code of this file"};
	const char* why = sframe.reject.why ? sframe.reject.why : std::strerror(-result);
	return Error{-result, ".sframe, byte " + std::to_string(sframe.reject.offset) + ": " + why};
}

TableRows rows_of(const uw_draft& draft, std::uint8_t version)
{
	TableRows table;
	table.rows.reserve(draft.nr_rows);
	for (std::uint32_t i = 0; i < draft.nr_rows; i++)
		table.rows.push_back({draft.rows[i].start, draft.rows[i].rule});
	table.rules.resize(draft.nr_rules);
	if (draft.nr_rules)
		std::memcpy(static_cast<void*>(table.rules.data()), draft.rules, draft.nr_rules * sizeof(Rule));
	table.method = UW_METHOD_SFRAME_V1 + (version - 1u);
	return table;
}

} // namespace

Result<TableRows> lower_sframe(const SframeSection& section, Arch arch)
{
	std::vector<uw_segment> segments;
	for (const Segment& segment : section.segments)
		segments.push_back({segment.address, segment.bytes, segment.offset});
	const uw_sframe_input input{section.bytes.data(),
				    section.bytes.size(),
				    section.address,
				    segments.data(),
				    static_cast<std::uint32_t>(segments.size()),
				    static_cast<uw_arch>(arch)};
	uw_sframe sframe{};
	if (const int result = uw_sframe_open(&sframe, &input))
		return refusal(result, sframe);
	std::vector<uw_draft_row> rows(sframe.max_rows);
	std::vector<uw_rule> rules(sframe.max_rules);
	std::vector<std::uint32_t> hash(std::bit_ceil(sframe.max_rules + 1u));
	std::vector<uw_draft_row> order(sframe.nr_fdes);
	uw_draft draft{};
	draft.rows = rows.data();
	draft.rules = rules.data();
	draft.hash = hash.data();
	draft.hash_mask = static_cast<std::uint32_t>(hash.size() - 1);
	draft.max_rows = static_cast<std::uint32_t>(rows.size());
	draft.max_rules = sframe.max_rules;
	if (const int result = uw_sframe_lower(&sframe, &draft, order.data()))
		return refusal(result, sframe);
	return rows_of(draft, sframe.version);
}

} // namespace uwind
