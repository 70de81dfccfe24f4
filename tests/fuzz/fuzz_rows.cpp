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

struct Input {
	uw_arch arch;
	std::vector<uw_rule> rules;
	std::vector<uw_draft_row> rows;
};

// As user space gives them.
Input ready_made(const uint8_t* data, size_t size)
{
	Input input{static_cast<uw_arch>(data[0] % 3), {}, {}};
	const size_t nr_rules = data[1];
	data += 2;
	size -= 2;
	input.rules = take<uw_rule>(data, size, nr_rules);
	input.rows = take<uw_draft_row>(data, size, size);
	return input;
}

// Rows that lie close, of many rules: two bytes for each.
Input close_rows(const uint8_t* data, size_t size)
{
	Input input{UW_ARCH_X86_64, std::vector<uw_rule>(1 + data[1] * 4), {}};
	for (size_t i = 1; i < input.rules.size(); i++)
		input.rules[i] = x86_rule(UW_X86_SP, static_cast<s32>(8 * i));
	u32 start = 0, rule = 0;
	for (size_t i = 2; i + 1 < size; i += 2) {
		start += data[i] < 0xff ? 1 + data[i] : 0x10000;
		rule += data[i + 1];
		input.rows.push_back({start, static_cast<u32>(rule % input.rules.size())});
	}
	return input;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	if (size < 2)
		return 0;
	auto [arch, rules, rows] = data[0] & 0x80 ? close_rows(data, size) : ready_made(data, size);
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
