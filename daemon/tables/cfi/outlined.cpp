// SPDX-License-Identifier: GPL-2.0
// A pc is an instruction's first byte or follows a call; a call's row is looked up one byte
// before that. So it must be known which instructions are calls.
#include "tables/cfi/outlined.h"

#include "tables/isa/x86/instruction.h"

extern "C" {
#include "types.h"
}

#include <algorithm>

namespace uwind {
namespace {

constexpr unsigned max_nesting = 4; // glibc's blocks need two

Rule unknown()
{
	Rule rule;
	rule.kind = UW_RULE_UNKNOWN;
	return rule;
}

bool is_call(const X86Instruction& instruction)
{
	return instruction.is(0xe8) || (instruction.is(0xff) && instruction.extension() == 2);
}

class Composition {
public:
	Composition(const std::vector<OutlinedRow>& rows, const TableRows& table, const ElfFile& program)
	    : rows_(rows), table_(table), program_(program), sp_(uw_abis[static_cast<unsigned>(program.arch())].sp)
	{
	}

	// The rows from first on that touch each other; returns the number of the next one.
	std::size_t compose_block(std::size_t first, std::vector<Stretch>& stretches) const;

private:
	const OutlinedRow* row_at(std::uint32_t offset) const;
	Rule rule_at(std::uint32_t offset) const;
	Rule rule_of(std::uint32_t offset, std::uint64_t pc, unsigned nesting = 0) const;
	bool count_from(const OutlinedRow& row, std::uint8_t& reg, std::int32_t& offset) const;
	Rule from_here(const OutlinedRow& row, Rule rule) const;

	const std::vector<OutlinedRow>& rows_;
	const TableRows& table_;
	const ElfFile& program_;
	const std::uint8_t sp_;
};

const OutlinedRow* Composition::row_at(std::uint32_t offset) const
{
	const auto next =
		std::upper_bound(rows_.begin(), rows_.end(), offset,
				 [](std::uint32_t at, const OutlinedRow& row) { return at < row.range.start; });
	return next != rows_.begin() && offset < next[-1].range.end ? &next[-1] : nullptr;
}

Rule Composition::rule_at(std::uint32_t offset) const
{
	const auto next = std::upper_bound(table_.rows.begin(), table_.rows.end(), offset,
					   [](std::uint32_t at, const Row& row) { return at < row.start; });
	return next == table_.rows.begin() ? Rule{} : table_.rules[next[-1].rule];
}

// A register that is the caller's SP there is the CFA here.
bool Composition::count_from(const OutlinedRow& row, std::uint8_t& reg, std::int32_t& offset) const
{
	if (reg != sp_)
		return true;
	reg = row.cfa_reg;
	return !__builtin_add_overflow(offset, row.cfa_off, &offset);
}

// The caller's rule, as rule of the frame here: only SP differs between the two.
Rule Composition::from_here(const OutlinedRow& row, Rule rule) const
{
	const auto by_register = [](std::uint8_t place) {
		return place == UW_PLACE_REG_MEM || place == UW_PLACE_REG_VAL;
	};
	if (rule.kind == UW_RULE_OUTERMOST || rule.kind == UW_RULE_THREAD_START)
		return rule;
	if (rule.kind != UW_RULE_FRAME || !count_from(row, rule.cfa_reg, rule.cfa_off) ||
	    (by_register(rule.ra_place) && !count_from(row, rule.ra_reg, rule.ra_off)) ||
	    (by_register(rule.fp_place) && !count_from(row, rule.fp_reg, rule.fp_off)))
		return unknown();
	return rule;
}

// Of a pc whose row is looked up at an offset. Its caller's pc is a return address.
Rule Composition::rule_of(std::uint32_t offset, std::uint64_t pc, unsigned nesting) const
{
	const OutlinedRow* const row = row_at(offset);
	if (!row)
		return rule_at(offset);
	const std::uint64_t caller = pc + static_cast<std::uint64_t>(row->to_caller);
	const auto range = offsets_of(program_.segments(), caller - 1, 1);
	if (!range || nesting == max_nesting)
		return unknown();
	return from_here(*row, rule_of(range->start, caller, nesting + 1));
}

std::size_t Composition::compose_block(std::size_t first, std::vector<Stretch>& stretches) const
{
	std::size_t last = first;
	while (last + 1 < rows_.size() && rows_[last + 1].range.start == rows_[last].range.end &&
	       rows_[last + 1].bias == rows_[last].bias)
		last++;
	const std::uint64_t bias = rows_[first].bias;
	std::uint32_t at = rows_[first].range.start;
	const std::uint32_t end = rows_[last].range.end;
	const Bytes code = program_.read(at + bias, end - at);
	while (at < end) {
		const std::size_t into = at - rows_[first].range.start;
		const X86Instruction instruction =
			into < code.size() ? decode_x86(code.subspan(into), program_.arch() == Arch::x86_64)
					   : X86Instruction{};
		if (!instruction.bytes) {
			append_stretch(stretches, {at, end, unknown()});
			break;
		}
		const std::uint32_t next = at + instruction.bytes;
		append_stretch(stretches, {at, next, rule_of(at, at + bias)});
		if (is_call(instruction)) // inside of what was appended
			stretches.push_back({next - 1, next, rule_of(next - 1, next + bias)});
		at = next;
	}
	return last + 1;
}

} // namespace

std::vector<Stretch> compose_outlined(const std::vector<OutlinedRow>& rows, const TableRows& table,
				      const ElfFile& program)
{
	std::vector<Stretch> stretches;
	const Composition composition(rows, table, program);
	for (std::size_t at = 0; at < rows.size();)
		at = composition.compose_block(at, stretches);
	return stretches;
}

} // namespace uwind
