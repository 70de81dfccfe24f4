// SPDX-License-Identifier: GPL-2.0
// Any bytes as ready-made rows and rules: refused, or packed into a table that
// finds every row.
#include "unit/core/world.h"

using namespace core;

namespace {

void require(bool condition)
{
	if (!condition)
		__builtin_trap();
}

template <class T>
std::vector<T> take(const uint8_t*& data, size_t& size, size_t count)
{
	count = std::min(count, size / sizeof(T));
	std::vector<T> items(count);
	if (count) // an empty vector's data() may be null
		std::memcpy(items.data(), data, count * sizeof(T));
	data += count * sizeof(T);
	size -= count * sizeof(T);
	return items;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	if (size < 2)
		return 0;
	const uw_arch arch = static_cast<uw_arch>(data[0] % 3);
	const size_t nr_rules = data[1];
	data += 2;
	size -= 2;
	auto rules = take<uw_rule>(data, size, nr_rules);
	auto rows = take<uw_draft_row>(data, size, size);
	uw_draft draft{};
	draft.rows = rows.data();
	draft.rules = rules.data();
	draft.nr_rows = static_cast<u32>(rows.size());
	draft.nr_rules = static_cast<u32>(rules.size());

	uw_reject reject{};
	if (uw_draft_check(&draft, arch, &reject)) {
		require(reject.why);
		return 0;
	}
	Table table(draft);
	require(table.find(rows[0].start - 1ull).kind == UW_RULE_NONE || rows[0].start == 0);
	for (size_t i = 0; i < rows.size(); i++) {
		u64 end = i + 1 < rows.size() ? rows[i + 1].start - 1ull : ~0ull;
		uw_rule rule = rules[rows[i].rule];
		uw_rule expected = rule.kind == UW_RULE_NONE ? kind_rule(UW_RULE_NONE) : rule;
		require(table.find(rows[i].start) == expected);
		require(table.find(rows[i].start + (end - rows[i].start) / 2) == expected);
		require(table.find(end) == expected);
	}
	return 0;
}
