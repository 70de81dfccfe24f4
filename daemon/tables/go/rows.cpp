// SPDX-License-Identifier: GPL-2.0
// Go's compiler keeps nothing in registers across calls but SP and, on amd64, RBP, which functions
// with a frame save right below the return address: with mov after SP is
// lowered, or since Go 1.21 with push before it. What says which of them a function does is its code.
#include "tables/go/rows.h"

#include "elf/sections.h"
#include "elf/segments.h"
#include "tables/code/functions.h"
#include "tables/code/x86/effect.h"
#include "tables/go/found.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <array>
#include <optional>

namespace uwind {
namespace {

// They have no caller: a goroutine's first function, and the program's beginning.
constexpr std::array<std::string_view, 4> first_functions = {"runtime.goexit", "runtime.goexit.abi0", "runtime.rt0_go",
							     "runtime.rt0_go.abi0"};

enum class Rbp : std::uint8_t { same, saved, lost };

class GoRowReader {
public:
	GoRowReader(const ElfFile& file, const GoTable& table)
	    : file_(file), table_(table), sections_(code_sections(file))
	{
	}
	GoRows run();

private:
	void read(const GoFunction& function);
	void read_depths(const GoFunction& function);
	bool switches_stacks(const GoFunction& function) const;
	void add(std::uint64_t start, std::uint64_t end, const Rule& rule);
	void add(const GoDepth& depth);
	Rule rule(std::int32_t depth, Rbp rbp) const;
	Bytes code_at(std::uint64_t address) const;

	const ElfFile& file_;
	const GoTable& table_;
	const std::vector<ElfSection> sections_;
	const std::int32_t word_ = static_cast<std::int32_t>(word_bytes(file_.arch()));
	const bool x86_ = file_.arch() == Arch::x86_64 || file_.arch() == Arch::i386;
	bool saves_ = false; // the function has saved RBP
	GoRows rows_;
};

Rule GoRowReader::rule(std::int32_t depth, Rbp rbp) const
{
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = uw_abis[static_cast<unsigned>(file_.arch())].sp;
	rule.cfa_off = depth + word_;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -word_;
	rule.base_slot = UW_BASE_LOST;
	if (rbp == Rbp::saved) {
		rule.fp_place = UW_PLACE_CFA_MEM;
		rule.fp_off = -2 * word_;
	} else if (rbp == Rbp::lost) {
		rule.fp_place = UW_PLACE_LOST;
	}
	return rule;
}

void GoRowReader::add(std::uint64_t start, std::uint64_t end, const Rule& rule)
{
	const auto range = offsets_of(file_.segments(), start, end - start);
	if (range && start < end)
		rows_.stretches.push_back({range->start, range->end, rule});
}

// Up to the section's end.
Bytes GoRowReader::code_at(std::uint64_t address) const
{
	for (const ElfSection& section : sections_)
		if (address >= section.address && address - section.address < section.bytes.size())
			return section.bytes.subspan(address - section.address);
	return {};
}

// mov %rbp,depth-8(%rsp), or push %rbp as what came before.
void GoRowReader::add(const GoDepth& depth)
{
	const Bytes before = code_at(depth.start - 1);
	const X86Instruction first = decode_x86(code_at(depth.start), true);
	const bool pushed = depth.depth == word_ && !before.empty() && before[0] == 0x55;
	const bool moves = first.is(0x89) && first.wide && first.plain_base && first.rm == x86_sp &&
			   first.reg == x86_bp && first.displacement == depth.depth - word_;
	std::uint64_t start = depth.start;
	if (!saves_ && moves) {
		start = std::min(start + first.bytes, depth.end);
		add(depth.start, start, rule(depth.depth, Rbp::same));
	}
	saves_ = saves_ || moves || pushed;
	add(start, depth.end, rule(depth.depth, saves_ ? Rbp::saved : Rbp::lost));
}

// Go's linker counts the pushes that its assembler knows of. Other changes of SP show in the code only.
bool GoRowReader::switches_stacks(const GoFunction& function) const
{
	if (function.writes_sp || !x86_)
		return function.writes_sp;
	const Bytes rest = code_at(function.start);
	const Bytes code = rest.first(std::min<std::size_t>(rest.size(), function.end - function.start));
	for (std::size_t at = 0; at < code.size();) {
		const X86Instruction instruction = decode_x86(code.subspan(at), file_.arch() == Arch::x86_64);
		if (!instruction.bytes)
			break;
		if (loses_sp_x86(instruction, file_.arch()))
			return true;
		at += instruction.bytes;
	}
	return false;
}

void GoRowReader::read(const GoFunction& function)
{
	const auto range = offsets_of(file_.segments(), function.start, function.end - function.start);
	if (!range)
		return;
	rows_.functions.push_back({function.start, function.end - function.start});
	if (std::find(first_functions.begin(), first_functions.end(), function.name) != first_functions.end()) {
		Rule outermost;
		outermost.kind = UW_RULE_OUTERMOST;
		rows_.outermost.push_back({range->start, range->end, outermost});
	} else if (switches_stacks(function)) {
		rows_.switching.push_back(*range);
	} else if (x86_) {
		read_depths(function);
	}
}

// i386 has no frame pointers: EBP is a register like any other.
void GoRowReader::read_depths(const GoFunction& function)
{
	saves_ = false;
	const bool has_fp = file_.arch() == Arch::x86_64;
	for (std::size_t i = 0; i < function.depths; i++) {
		const GoDepth& depth = table_.depths[function.first_depth + i];
		if (has_fp && depth.depth)
			add(depth);
		else
			add(depth.start, depth.end, rule(depth.depth, has_fp ? Rbp::same : Rbp::lost));
	}
}

GoRows GoRowReader::run()
{
	for (const GoFunction& function : table_.functions)
		read(function);
	std::sort(rows_.switching.begin(), rows_.switching.end(),
		  [](const OffsetRange& left, const OffsetRange& right) { return left.start < right.start; });
	return std::move(rows_);
}

} // namespace

GoRows go_rows(const ElfFile& file)
{
	const std::optional<GoTable> table = go_table(file);
	return table ? GoRowReader(file, *table).run() : GoRows{};
}

} // namespace uwind
