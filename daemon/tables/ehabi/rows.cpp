// SPDX-License-Identifier: GPL-2.0
// One rule for each entry of the index.
#include "tables/ehabi/rows.h"

#include "tables/ehabi/exidx.h"
#include "tables/ehabi/opcodes.h"

extern "C" {
#include "types.h"
}

#include <cerrno>

namespace uwind {
namespace {

void count(EhabiRows& rows, CfiReason reason)
{
	if (reason != CfiReason::none)
		rows.inexpressible[cfi_reason_text[static_cast<std::size_t>(reason)]]++;
}

void add(EhabiRows& rows, const ExidxEntry& entry, OffsetRange range)
{
	if (entry.kind == ExidxKind::cannot_unwind) {
		rows.cannot_unwind.push_back(range);
		return;
	}
	const LoweredRule lowered = lower_ehabi(opcodes_of(entry));
	count(rows, lowered.fp_lost ? CfiReason::fp_lost : lowered.reason);
	if (lowered.rule.kind == UW_RULE_FRAME)
		rows.stretches.push_back({range.start, range.end, lowered.rule});
}

} // namespace

std::vector<Stretch> inexpressible_entries(const ElfFile& file)
{
	const Result<std::vector<ExidxEntry>> entries = read_exidx(file);
	std::vector<Stretch> stretches;
	Rule unknown;
	unknown.kind = UW_RULE_UNKNOWN;
	if (!entries)
		return stretches;
	for (const ExidxEntry& entry : *entries) {
		const auto range = offsets_of(file.segments(), entry.start, entry.end - entry.start);
		if (entry.kind == ExidxKind::opcodes && range &&
		    lower_ehabi(opcodes_of(entry)).rule.kind == UW_RULE_NONE)
			stretches.push_back({range->start, range->end, unknown});
	}
	return stretches;
}

Result<EhabiRows> lower_exidx(const ElfFile& file)
{
	const Result<std::vector<ExidxEntry>> entries = read_exidx(file);
	if (!entries)
		return entries.error();
	if (entries->empty())
		return Error{ENODATA, "there is no index of unwind tables in it"};
	EhabiRows rows;
	for (const ExidxEntry& entry : *entries) {
		const auto range = offsets_of(file.segments(), entry.start, entry.end - entry.start);
		if (entry.kind == ExidxKind::unknown)
			count(rows, entry.reason);
		else if (range)
			add(rows, entry, *range);
		else
			count(rows, CfiReason::outside);
	}
	return rows;
}

} // namespace uwind
