// SPDX-License-Identifier: GPL-2.0
#include "tables/file_rows.h"

#include "tables/cfi/eh_frame.h"
#include "tables/ehabi/rows.h"
#include "tables/gaps.h"
#include "tables/go/rows.h"
#include "tables/known/entry.h"
#include "tables/known/known_code.h"
#include "tables/row_builder.h"

extern "C" {
#include "types.h"
}

#include <cerrno>

namespace uwind {
namespace {

// Of the file, or of its debug file. If it is broken, the rest is not lost.
CfiRows read_debug_frame(TableRows& table, const ElfFile& file, const ElfFile* debug)
{
	Result<CfiRows> rows = lower_debug_frame(file, file.segments(), &file);
	if (!rows && rows.error().code == ENODATA && debug)
		rows = lower_debug_frame(*debug, file.segments(), &file);
	if (rows)
		return std::move(*rows);
	if (rows.error().code != ENODATA)
		table.inexpressible[rows.error().message]++;
	return {};
}

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& more)
{
	all.insert(all.end(), more.begin(), more.end());
}

// What of them lies where a table has no row.
std::vector<Stretch> outside(const TableRows& table, const std::vector<Stretch>& stretches)
{
	std::vector<Stretch> result;
	for (const Stretch& stretch : stretches)
		for (const OffsetRange gap : gaps_of(table, {stretch.start, stretch.end}))
			result.push_back({gap.start, gap.end, stretch.rule});
	return result;
}

// What .eh_frame leaves out. Where it says something that no row can say, .debug_frame may have a row.
void add_cfi(CfiRows& cfi, const CfiRows& more)
{
	fill_gaps(cfi.sync_only, more.sync_only);
	for (const auto& [reason, times] : more.accepted.inexpressible)
		cfi.accepted.inexpressible[reason] += times;
	cfi.left_out = outside(more.accepted, cfi.left_out);
	append(cfi.left_out, outside(rows_of(cfi.left_out), more.left_out));
	append(cfi.doubtful, more.doubtful);
	append(cfi.doubtful, more.functions);
	append(cfi.epilogues, more.epilogues);
}

// The places of a table's rows, of rows_of(), where another one has none.
std::vector<OffsetRange> missing_in(const TableRows& other, const TableRows& table)
{
	std::vector<OffsetRange> ranges;
	for (std::size_t i = 0; i + 1 < table.rows.size(); i++) {
		if (table.rules[table.rows[i].rule].kind == UW_RULE_NONE)
			continue;
		const std::vector<OffsetRange> gaps = gaps_of(other, {table.rows[i].start, table.rows[i + 1].start});
		ranges.insert(ranges.end(), gaps.begin(), gaps.end());
	}
	return ranges;
}

// What code without rows is known to be, and what CFI states of the ends of stacks. The code of
// such places is read with the rest of their functions, or these would be cut in two.
void fill_from_code(CfiRows& cfi, const ElfFile& file, const TableRows& stated, const std::vector<CloneCall>& clones,
		    const DescribedCode& described)
{
	TableRows& table = cfi.accepted;
	const std::vector<OffsetRange> only_stated = missing_in(table, stated);
	fill_known_code(table, file, cfi.doubtful, std::move(cfi.left_out), clones, described);
	cut_out(table, only_stated);
	fill_gaps(table, stated);
}

// What Go's linker says of functions that switch stacks is wrong. code_first: .debug_frame comes last.
DescribedCode described_code(CfiRows& cfi, CfiRows& debug_frame, GoRows go, const ElfFile& file, bool code_first)
{
	DescribedCode described;
	cut_out(debug_frame.accepted, go.switching);
	cut_out(debug_frame.sync_only, go.switching);
	append(cfi.doubtful, go.functions);
	described.go = rows_of(std::move(go.stretches));
	if (code_first) {
		append(cfi.left_out, debug_frame.left_out);
		append(cfi.left_out, inexpressible_entries(file));
		return described;
	}
	add_cfi(cfi, debug_frame);
	described.debug_frame = std::move(debug_frame.accepted);
	if (cfi.accepted.rows.empty() && !described.debug_frame.rows.empty())
		cfi.accepted.method = UW_METHOD_DEBUG_FRAME;
	return described;
}

} // namespace

Result<TableRows> rows_of_file(const ElfFile& file, const ElfFile* debug)
{
	Result<CfiRows> cfi = lower_eh_frame(file);
	if (!cfi)
		return cfi.error();
	TableRows& table = cfi->accepted;
	table.method = table.rows.empty() ? UW_METHOD_SYNTH : UW_METHOD_EH_FRAME;
	table.arch = file.arch();
	CfiRows debug_frame = read_debug_frame(table, file, debug);
	// That of 32-bit Arm is synchronous, and reading the instructions gives better rows.
	const bool code_first = file.arch() == Arch::arm;
	TableRows stated = rows_of(std::move(cfi->stated));
	fill_gaps(stated, rows_of(std::move(debug_frame.stated)));
	GoRows go = go_rows(file);
	fill_gaps(stated, rows_of(std::move(go.outermost)));
	const DescribedCode described = described_code(*cfi, debug_frame, std::move(go), file, code_first);
	const std::vector<CloneCall> clones = clone_calls(file, table, stated);
	fill_from_code(*cfi, file, stated, clones, described);
	fill_gaps(table, rows_of(std::move(cfi->epilogues)));
	fill_gaps(table, cfi->sync_only);
	if (code_first)
		fill_gaps(table, debug_frame.accepted);
	set_clone_rules(table, clones);
	lengthen_signal_returns(table);
	begin_signal_returns(table);
	begin_outermost(table, file);
	if (table.method == UW_METHOD_EH_FRAME)
		close_gaps(table, file.segments());
	if (table.rows.empty())
		return Error{ENODATA, cfi->section ? ".eh_frame describes no code of this file"
						   : "there is neither .sframe nor .eh_frame in it"};
	number_by_use(table);
	return std::move(table);
}

} // namespace uwind
