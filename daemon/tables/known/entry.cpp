// SPDX-License-Identifier: GPL-2.0
// Both are for gaps only: what has CFI keeps it.
#include "tables/known/entry.h"

#include "elf/sections.h"
#include "elf/segments.h"
#include "tables/cfi/eh_frame.h"
#include "tables/code/functions.h"
#include "tables/isa/arm/instruction.h"
#include "tables/isa/arm64/instruction.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <array>
#include <cstring>

namespace uwind {
namespace {

constexpr std::uint64_t unknown_entry_bytes = 128;
constexpr std::uint64_t max_entry_bytes = 4096;
constexpr std::uint64_t max_vdso_bytes = 64 << 10;

Rule plain_rule(std::uint8_t kind)
{
	Rule rule;
	rule.kind = kind;
	return rule;
}

// The end of the stretch without rows that begins at start, at most end.
std::uint32_t gap_end(const TableRows& table, std::uint32_t start, std::uint32_t end)
{
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), start,
				    [](std::uint32_t at, const Row& row) { return at < row.start; });
	const auto covered = [&](const Row& at) { return table.rules[at.rule].kind != UW_RULE_NONE; };
	if (row != table.rows.begin() && covered(row[-1]))
		return start;
	while (row != table.rows.end() && !covered(*row))
		++row;
	return row == table.rows.end() ? end : std::min(end, row->start);
}

// Bytes that end entry code on x86; -1 is any byte.
struct Ending {
	std::array<int, 7> bytes;
	std::size_t length;
};
constexpr Ending x86_endings[] = {
	{{0xe8, -1, -1, -1, -1, 0xf4}, 6},       // call; hlt
	{{0xff, 0x15, -1, -1, -1, -1, 0xf4}, 7}, // call *; hlt
	{{0xe8, -1, -1, -1, -1, 0xc3}, 6},       // call; ret
	{{0x41, 0xff, 0xe4}, 3},                 // jmp *%r12
	{{0xff, 0xe7}, 2},                       // jmp *%edi
	{{0xcc, 0xcc}, 2},                       // padding
};

bool ends_here(Bytes code, const Ending& ending)
{
	if (code.size() < ending.length)
		return false;
	for (std::size_t i = 0; i < ending.length; i++)
		if (ending.bytes[i] >= 0 && code[i] != ending.bytes[i])
			return false;
	return true;
}

std::uint64_t x86_entry_bytes(Bytes code)
{
	constexpr std::uint64_t jump_bytes = 5;
	if (code.size() >= jump_bytes && code[0] == 0xe9)
		return jump_bytes;
	for (std::uint64_t at = 0; at < code.size(); at++)
		for (const Ending& ending : x86_endings)
			if (ends_here(code.subspan(at), ending))
				return at + ending.length;
	return code.size();
}

std::uint64_t arm64_entry_bytes(Bytes code)
{
	for (std::uint64_t at = 0; at + 4 <= code.size(); at += 4) {
		const Arm64Way way = flow_arm64(word_at(code, at)).way;
		if (way == Arm64Way::jump || way == Arm64Way::computed_jump)
			return at + 4;
	}
	return code.size();
}

// It calls what runs main(), and then abort().
std::uint64_t arm_entry_bytes(Bytes code, std::uint32_t address, bool thumb)
{
	constexpr unsigned calls = 2;
	unsigned called = 0;
	for (std::uint32_t at = 0; at < code.size();) {
		const ArmInstruction instruction = decode_arm(code.subspan(at), address + at, thumb);
		called += instruction.flow == ArmFlow::call;
		at += instruction.bytes;
		if (!instruction.bytes || called == calls ||
		    (instruction.flow != ArmFlow::next && instruction.flow != ArmFlow::call))
			return at;
	}
	return code.size();
}

// How long the entry code seems to be, where no symbol says it. It never returns:
// it ends with a jump, or with what catches a call that returned.
std::uint64_t likely_entry_bytes(const ElfFile& file)
{
	const Bytes code = file.read(file.entry(), unknown_entry_bytes);
	if (file.arch() == Arch::arm)
		return arm_entry_bytes(code, static_cast<std::uint32_t>(file.entry()), file.raw_entry() & 1);
	return file.arch() == Arch::arm64 ? arm64_entry_bytes(code) : x86_entry_bytes(code);
}

// What the CFI says about the entry: the end of the record that holds it, or
// where the next one starts. Broken CFI says nothing.
struct EntryRecord {
	std::uint64_t end = 0; // 0: no record
	std::uint64_t next = ~0ull;
};

EntryRecord entry_record(const ElfFile& file)
{
	EntryRecord result;
	const ElfFile::Found section = eh_frame_section(file);
	if (!section || !*section)
		return result;
	CfiSection cfi = cfi_section_of(file, **section);
	if (!read_cfi_section(cfi))
		return result;
	for (const Fde& fde : cfi.fdes) {
		if (fde.start > file.entry())
			result.next = std::min(result.next, fde.start);
		else if (file.entry() - fde.start < fde.bytes)
			result.end = fde.start + fde.bytes;
	}
	return result;
}

} // namespace

std::uint64_t entry_bytes(const ElfFile& file)
{
	const std::uint64_t entry = file.entry();
	const Segment* segment = find_segment(file.segments(), entry, 1);
	if (!entry || !segment)
		return 0;
	const EntryRecord record = entry_record(file);
	std::uint64_t bytes = record.end ? record.end - entry : symbol_bytes(file, entry);
	bytes = bytes ? bytes : likely_entry_bytes(file);
	return std::min({bytes, max_entry_bytes, record.next - entry, segment->bytes - (entry - segment->address)});
}

std::optional<Stretch> entry_stretch(const ElfFile& file, const TableRows& table)
{
	const Segment* segment = find_segment(file.segments(), file.entry(), 1);
	if (!file.entry() || !segment)
		return {};
	std::uint64_t bytes = symbol_bytes(file, file.entry());
	bytes = bytes ? std::min(bytes, max_entry_bytes) : likely_entry_bytes(file);
	bytes = std::min(bytes, segment->bytes - (file.entry() - segment->address));
	const auto range = offsets_of(file.segments(), file.entry(), bytes);
	if (!range)
		return {};
	const std::uint32_t end = gap_end(table, range->start, range->end);
	if (end == range->start)
		return {};
	return Stretch{range->start, end, plain_rule(UW_RULE_OUTERMOST)};
}

void begin_outermost(TableRows& table, const ElfFile& file)
{
	const auto entry = offsets_of(file.segments(), file.entry(), 1);
	if (!file.entry() || !entry)
		return;
	const auto row = std::lower_bound(table.rows.begin(), table.rows.end(), entry->start,
					  [](const Row& row, std::uint32_t at) { return row.start < at; });
	if (row == table.rows.end() || row->start != entry->start || row + 1 == table.rows.end())
		return;
	if (table.rules[row->rule].kind == UW_RULE_FRAME && table.rules[row[1].rule].kind == UW_RULE_OUTERMOST)
		row->rule = row[1].rule;
}

std::optional<Stretch> signal_return_stretch(const ElfFile& file)
{
	constexpr std::uint32_t code[] = {0xd2801168, 0xd4000001}; // mov x8, #139; svc #0
	if (file.arch() != Arch::arm64)
		return {};
	for (const Segment& segment : file.segments()) {
		if (segment.bytes > max_vdso_bytes)
			continue;
		const Bytes text = file.read(segment.address, segment.bytes);
		for (std::uint64_t at = 4; at + sizeof(code) <= text.size(); at += 4) {
			if (std::memcmp(text.data() + at, code, sizeof(code)) != 0)
				continue;
			const auto range = offsets_of(file.segments(), segment.address + at, sizeof(code));
			if (range)
				return Stretch{range->start - 1, range->end, plain_rule(UW_RULE_SIGFRAME)};
		}
	}
	return {};
}

void lengthen_signal_returns(TableRows& table)
{
	const auto kind = [&](const Row& row) { return table.rules[row.rule].kind; };
	if (std::ranges::find(table.rules, UW_RULE_SIGFRAME, &Rule::kind) == table.rules.end())
		return;
	for (std::size_t i = 1; i < table.rows.size(); i++) {
		const bool room = i + 1 == table.rows.size() || table.rows[i + 1].start > table.rows[i].start + 1;
		if (kind(table.rows[i - 1]) == UW_RULE_SIGFRAME && kind(table.rows[i]) == UW_RULE_NONE && room)
			table.rows[i].start++;
	}
}

// What begins at an odd address begins early.
void begin_signal_returns(TableRows& table)
{
	const auto kind = [&](const Row& row) { return table.rules[row.rule].kind; };
	for (std::size_t i = 1; i < table.rows.size(); i++) {
		const bool room = table.rows[i - 1].start + 1 < table.rows[i].start;
		const bool early = table.rows[i].start % 2;
		if (kind(table.rows[i]) == UW_RULE_SIGFRAME && kind(table.rows[i - 1]) == UW_RULE_NONE && room &&
		    !early)
			table.rows[i].start--;
	}
}

} // namespace uwind
