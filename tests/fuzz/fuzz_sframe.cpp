// SPDX-License-Identifier: GPL-2.0
// Any bytes as an SFrame section: refused with a reason, or lowered to a table
// that is valid and finds what the rows say.
#include "unit/core/world.h"

using namespace core;

namespace {

// These keep a run short; the code has its own limit.
constexpr u64 max_rows = 256;
constexpr u32 checked_rows = 64;

void require(bool condition)
{
	if (!condition)
		__builtin_trap();
}

void check_draft(const uw_draft& draft, uw_arch arch)
{
	uw_reject reject{};
	require(uw_draft_check(&draft, arch, &reject) == 0);
	Table table(draft);
	const u32 stride = draft.nr_rows / checked_rows + 1;
	for (u32 i = 0; i < draft.nr_rows; i += stride) {
		const uw_draft_row& row = draft.rows[i];
		uw_rule rule = draft.rules[row.rule];
		u64 end = i + 1 < draft.nr_rows ? draft.rows[i + 1].start - 1 : ~0ull;
		require(table.find(row.start) == rule);
		require(table.find(end) == rule);
	}
	// The last function is ended.
	require(draft.rules[draft.rows[draft.nr_rows - 1].rule].kind == UW_RULE_NONE);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
	if (size < 1)
		return 0;
	// The first byte: architecture, and how the segments lie.
	const uw_arch arch = data[0] & 1 ? UW_ARCH_ARM64 : UW_ARCH_X86_64;
	const u64 address = data[0] & 2 ? ~0ull - (size >> 1) : 0x402000;
	const uw_segment segments[] = {{0x400000, data[0] & 4 ? 0x40ull : 0x100000, 0x1000},
				       {0x500000, 0x1000000, data[0] & 8 ? 0xffff0000 : 0x200000},
				       {0, data[0] & 16 ? ~0ull : 0, 0}};
	uw_sframe_input in{data + 1, size - 1, address, segments, 3, arch};
	uw_sframe sf;
	if (uw_sframe_open(&sf, &in)) {
		require(sf.reject.why);
		return 0;
	}
	require(sf.max_rows <= UW_MAX_ROWS && sf.max_rules <= UW_MAX_RULES);
	if (sf.max_rows > max_rows)
		return 0;
	Draft draft(static_cast<u32>(sf.max_rows), sf.max_rules);
	std::vector<uw_draft_row> order(sf.nr_fdes);
	int err = uw_sframe_lower(&sf, &draft.draft, order.data());
	if (err == 0)
		check_draft(draft.draft, arch);
	else
		require(err == -ENOENT || sf.reject.why);
	return 0;
}
