// SPDX-License-Identifier: GPL-2.0
// The exception index comes last: it is synchronous, and the instructions of
// compilers show the same and more.
#include "tables/known/known_code.h"

#include "tables/code/code.h"
#include "tables/ehabi/rows.h"
#include "tables/known/entry.h"
#include "tables/known/fiber.h"
#include "tables/known/indexed_calls.h"
#include "tables/known/plt.h"
#include "tables/known/resolver_arm.h"
#include "tables/known/system_call_arm.h"
#include "tables/row_builder.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <cerrno>

namespace uwind {
namespace {

// A broken index is counted by what is the matter with it.
std::vector<Stretch> indexed_calls(TableRows& table, const ElfFile& file)
{
	const Result<EhabiRows> rows = lower_exidx(file);
	if (!rows) {
		if (rows.error().code != ENODATA)
			table.inexpressible[rows.error().message]++;
		return {};
	}
	if (!rows->stretches.empty() && table.method == UW_METHOD_SYNTH)
		table.method = UW_METHOD_EHABI;
	for (const auto& [reason, times] : rows->inexpressible)
		table.inexpressible[reason] += times;
	return calls_in(file, rows->stretches);
}

// Nothing has said that this is code.
std::vector<Stretch> marked_read(std::vector<Stretch> stretches)
{
	for (Stretch& stretch : stretches)
		if (stretch.rule.kind == UW_RULE_FRAME)
			stretch.rule.kind = UW_RULE_READ;
	return stretches;
}

// CFI that does not say where a register is leaves it where it was, or the frame pointer lost.
void learn_registers(Rule& rule, const Rule& read)
{
	const bool same_frame = rule.kind == UW_RULE_FRAME && read.kind == UW_RULE_READ &&
				rule.cfa_kind == read.cfa_kind && rule.cfa_reg == read.cfa_reg &&
				rule.cfa_off == read.cfa_off && rule.cfa_add == read.cfa_add &&
				rule.ra_place == read.ra_place && rule.ra_off == read.ra_off;
	if (!same_frame)
		return;
	if (rule.fp_place == UW_PLACE_LOST || rule.fp_place == UW_PLACE_SAME) {
		rule.fp_place = read.fp_place;
		rule.fp_reg = read.fp_reg;
		rule.fp_off = read.fp_off;
	}
	if (!rule.base_slot)
		rule.base_slot = read.base_slot;
}

// The rows of table, with what the instructions say of registers.
TableRows with_registers(const TableRows& table, const std::vector<Stretch>& read)
{
	std::vector<Stretch> stretches;
	std::size_t next = 0;
	for (const Stretch& known : read) {
		while (next + 1 < table.rows.size() && table.rows[next + 1].start <= known.start)
			next++;
		for (std::size_t i = next; i + 1 < table.rows.size() && table.rows[i].start < known.end; i++) {
			Stretch stretch{std::max(table.rows[i].start, known.start),
					std::min(table.rows[i + 1].start, known.end), table.rules[table.rows[i].rule]};
			learn_registers(stretch.rule, known.rule);
			if (stretch.start < stretch.end && stretch.rule.kind != UW_RULE_NONE)
				stretches.push_back(stretch);
		}
	}
	TableRows result = rows_of(std::move(stretches));
	fill_gaps(result, table);
	return result;
}

// What only instructions show: registers beside debug_frame's CFA, and all of it elsewhere; but what Go's
// runtime knows counts for more.
void fill_read_code(TableRows& table, const ElfFile& file, const std::vector<CodeFunction>& functions,
		    const DescribedCode& described)
{
	const TableRows& debug_frame = described.debug_frame;
	if (debug_frame.rows.empty())
		fill_gaps(table, described.go);
	std::vector<Stretch> read = marked_read(code_stretches(file, table, functions));
	if (!debug_frame.rows.empty()) {
		std::sort(read.begin(), read.end(),
			  [](const Stretch& left, const Stretch& right) { return left.start < right.start; });
		fill_gaps(table, with_registers(debug_frame, read));
		fill_gaps(table, described.go);
	}
	fill_gaps(table, rows_of(std::move(read)));
}

} // namespace

void fill_known_code(TableRows& table, const ElfFile& file, const std::vector<CodeFunction>& functions,
		     std::vector<Stretch> left_out, const std::vector<CloneCall>& clones,
		     const DescribedCode& described)
{
	const bool arm = file.arch() == Arch::arm;
	std::vector<Stretch> stretches = plt_stretches(file);
	if (const auto stretch = signal_return_stretch(file))
		stretches.push_back(*stretch);
	for (const Stretch& stretch : fiber_end_stretches(file))
		stretches.push_back(stretch);
	if (arm)
		for (const Stretch& stretch : resolver_stretches_arm(file))
			stretches.push_back(stretch);
	fill_gaps(table, rows_of(std::move(stretches)));
	if (arm)
		fill_gaps(table, rows_of(system_call_stretches_arm(file)));
	else
		fill_gaps(table, rows_of(clone_stretches(file, table, clones)));
	if (const auto stretch = entry_stretch(file, table))
		fill_gaps(table, rows_of({*stretch}));
	fill_gaps(table, rows_of(std::move(left_out)));
	fill_read_code(table, file, functions, described);
	if (arm)
		fill_gaps(table, rows_of(indexed_calls(table, file)));
}

} // namespace uwind
