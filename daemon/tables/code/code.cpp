// SPDX-License-Identifier: GPL-2.0
// Finds the stretches; each architecture has a reader of its own.
#include "tables/code/code.h"

#include "elf/sections.h"
#include "elf/segments.h"
#include "tables/code/arm/code.h"
#include "tables/code/arm64/code.h"
#include "tables/code/functions.h"
#include "tables/code/no_return.h"
#include "tables/code/x86/calls.h"
#include "tables/code/x86/code.h"
#include "tables/gaps.h"

#include <algorithm>

namespace uwind {
namespace {

void read_gap(const ElfSection& section, OffsetRange gap, const CodeHints& hints, X86Padding& padding,
	      std::vector<Stretch>& stretches)
{
	const std::uint64_t into = gap.start - section.offset, bytes = gap.end - gap.start;
	if (into > section.bytes.size() || bytes > section.bytes.size() - into)
		return;
	const Bytes code = section.bytes.subspan(into, bytes);
	if (hints.arch == Arch::arm64)
		read_code_arm64(code, section.address + into, gap.start, hints, stretches);
	else
		read_code_x86(code, section.address + into, gap.start, hints, padding, stretches);
}

struct CodeSection {
	ElfSection section;
	OffsetRange range;
	std::vector<OffsetRange> gaps;

	std::uint64_t address_of(std::uint32_t offset) const { return section.address + (offset - section.offset); }
};

std::vector<CodeSection> sections_of(const ElfFile& file, const TableRows& table)
{
	std::vector<CodeSection> sections;
	for (const ElfSection& section : code_sections(file)) {
		const auto range = offsets_of(file.segments(), section.address, section.bytes.size());
		if (range && range->start == section.offset)
			sections.push_back({section, *range, gaps_of(table, *range)});
	}
	return sections;
}

AddressRanges addresses_of_gaps(const std::vector<CodeSection>& sections)
{
	std::vector<AddressRange> ranges;
	for (const CodeSection& at : sections)
		for (const OffsetRange gap : at.gaps)
			ranges.push_back({at.address_of(gap.start), at.address_of(gap.end)});
	const auto by_start = [](const AddressRange& left, const AddressRange& right) {
		return left.start < right.start;
	};
	if (!std::is_sorted(ranges.begin(), ranges.end(), by_start)) // sections may come in any order
		std::sort(ranges.begin(), ranges.end(), by_start);
	return AddressRanges(std::move(ranges));
}

// The calls of code that has rows, which is code for sure.
void find_calls(const CodeSection& at, const TableRows& table, Arch arch, const AddressRanges& gaps,
		std::vector<CodeFunction>& functions)
{
	std::uint32_t from = at.range.start;
	const auto read_until = [&](std::uint32_t end) {
		if (end > from && end - at.section.offset <= at.section.bytes.size())
			find_calls_x86({at.section.bytes.subspan(from - at.section.offset, end - from),
					at.address_of(from), from},
				       table, arch, gaps, functions);
	};
	for (const OffsetRange gap : at.gaps) {
		read_until(gap.start);
		from = gap.end;
	}
	read_until(at.range.end);
}

void sort(std::vector<CodeFunction>& functions)
{
	std::sort(functions.begin(), functions.end(),
		  [](const CodeFunction& left, const CodeFunction& right) { return left.start < right.start; });
	std::uint64_t reach = 0;
	for (CodeFunction& function : functions) {
		const std::uint64_t room = ~std::uint64_t{0} - function.start;
		reach = std::max(reach, function.start + std::min(function.bytes, room));
		function.reach = reach;
	}
}

// Whole sections: a gap's code is understood by the functions around it.
std::vector<Stretch> arm_stretches(const ElfFile& file, const std::vector<CodeSection>& sections,
				   std::vector<CodeFunction> functions)
{
	std::vector<Stretch> stretches;
	for (const std::uint64_t address : function_starts(file))
		functions.push_back({address, 0});
	for (const std::uint64_t address : code_pointers(file))
		functions.push_back({address, 0, false});
	sort(functions);
	const ArmCodeHints hints{std::move(functions), arm_no_return(file)};
	for (const CodeSection& at : sections)
		if (!at.gaps.empty())
			read_code_arm(at.section.bytes, at.section.address, at.range.start, hints, stretches);
	return stretches;
}

} // namespace

std::vector<Stretch> code_stretches(const ElfFile& file, const TableRows& table, const std::vector<CodeFunction>& known)
{
	std::vector<Stretch> stretches;
	std::vector<CodeFunction> functions = known;
	for (const std::uint64_t address : start_and_end_code(file))
		functions.push_back({address, 0});
	const std::vector<CodeSection> sections = sections_of(file, table);
	if (file.arch() == Arch::arm)
		return arm_stretches(file, sections, std::move(functions));
	for (const CodeFunction& function : function_extents(file))
		functions.push_back(function);
	const AddressRanges gaps = addresses_of_gaps(sections);
	for (const CodeSection& at : sections)
		if (file.arch() != Arch::arm64 && !gaps.empty())
			find_calls(at, table, file.arch(), gaps, functions);
	sort(functions);
	const CodeHints hints{file.arch(), std::move(functions), no_return_functions(file)};
	X86Padding padding;
	for (const CodeSection& at : sections)
		for (const OffsetRange gap : at.gaps)
			read_gap(at.section, gap, hints, padding, stretches);
	return stretches;
}

} // namespace uwind
