// SPDX-License-Identifier: GPL-2.0
// A PLT entry jumps to a function and has its caller's frame: on x86 the return
// address is on top of the stack, on arm64 it is in the link register. Only what
// runs before a function is bound pushes anything (CFA - SP; i386: half of it):
//
//   amd64  entry   jmp *slot; push number; jmp header       8, then 16
//   i386   entry   endbr; push number; jmp header           8, then 16
//          header  push map; jmp *resolver                 16, then 24
//   arm64  header  stp x16, x30, [sp, #-16]!; … br x17      0, then 16
//          TLS     stp x2, x3, [sp, #-16]!; … br x2         0, then 16
//   arm    header  push {lr}; … ldr pc, [lr, #8]!          0, then 4
#include "tables/known/plt.h"

#include "elf/segments.h"
#include "tables/code/arm/frame.h"

extern "C" {
#include "table.h"
}

#include <algorithm>

namespace uwind {
namespace {

constexpr std::uint32_t plt_entry_bytes = 16;
constexpr std::uint64_t max_plt_bytes = 16 << 20;

Rule x86_rule(Arch arch, std::int32_t words)
{
	const auto word = static_cast<std::int32_t>(word_bytes(arch));
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = uw_abis[static_cast<unsigned>(arch)].sp;
	rule.cfa_off = words * word;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -word;
	return rule;
}

Rule arm64_rule(std::int32_t cfa_offset, bool link_saved)
{
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = UW_ARM64_SP;
	rule.cfa_off = cfa_offset;
	rule.ra_place = link_saved ? UW_PLACE_CFA_MEM : UW_PLACE_SAME;
	rule.ra_off = link_saved ? -8 : 0;
	return rule;
}

// Makes the stretches of one section.
class PltReader {
public:
	PltReader(std::vector<Stretch>& stretches, OffsetRange range, Bytes code, Arch arch)
	    : stretches_(stretches), first_(stretches.size()), range_(range), code_(code), arch_(arch)
	{
	}

	void x86();
	void arm64();
	void arm();

private:
	// From this byte of the section on, until another rule is given.
	void from(std::uint64_t at, const Rule& rule);
	void x86_entry(std::uint64_t at);

	std::vector<Stretch>& stretches_;
	const std::size_t first_; // of this section
	const OffsetRange range_;
	const Bytes code_;
	const Arch arch_;
};

void PltReader::from(std::uint64_t at, const Rule& rule)
{
	const std::uint32_t start = range_.start + static_cast<std::uint32_t>(at);
	if (start >= range_.end)
		return;
	if (stretches_.size() > first_) {
		if (stretches_.back().rule == rule)
			return;
		stretches_.back().end = start;
	}
	stretches_.push_back({start, range_.end, rule});
}

// Every byte of pattern that is not a wildcard matches the code.
template <std::size_t N>
bool matches(Bytes code, const int (&pattern)[N])
{
	if (code.size() < N)
		return false;
	for (std::size_t i = 0; i < N; i++)
		if (pattern[i] >= 0 && code[i] != pattern[i])
			return false;
	return true;
}

constexpr int any = -1;
constexpr int push_slot_jump[] = {0xff, 0x35, any, any, any, any, 0xff, 0x25};
constexpr int push_slot_bnd_jump[] = {0xff, 0x35, any, any, any, any, 0xf2, 0xff, 0x25};
constexpr int jump_push[] = {0xff, 0x25, any, any, any, any, 0x68, any, any, any, any, 0xe9};
constexpr int endbr_push[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, any, any, any, any};
// i386: by address, as above, or in code that may lie anywhere, by %ebx.
constexpr int push_slot_jump_ebx[] = {0xff, 0xb3, any, any, any, any, 0xff, 0xa3};
constexpr int jump_push_ebx[] = {0xff, 0xa3, any, any, any, any, 0x68, any, any, any, any, 0xe9};
constexpr int endbr32_push[] = {0xf3, 0x0f, 0x1e, 0xfb, 0x68, any, any, any, any};

bool is_header(Bytes code)
{
	return matches(code, push_slot_jump) || matches(code, push_slot_bnd_jump) || matches(code, push_slot_jump_ebx);
}

void PltReader::x86_entry(std::uint64_t at)
{
	const Bytes code = code_.subspan(at);
	if (!at && is_header(code)) {
		from(at, x86_rule(arch_, 2));
		from(at + 6, x86_rule(arch_, 3));
		return;
	}
	from(at, x86_rule(arch_, 1));
	if (matches(code, jump_push) || matches(code, jump_push_ebx))
		from(at + 11, x86_rule(arch_, 2));
	else if (matches(code, endbr_push) || matches(code, endbr32_push))
		from(at + 9, x86_rule(arch_, 2));
}

void PltReader::x86()
{
	for (std::uint64_t at = 0; at + plt_entry_bytes <= code_.size(); at += plt_entry_bytes)
		x86_entry(at);
	if (const std::uint64_t tail = code_.size() % plt_entry_bytes)
		from(code_.size() - tail, x86_rule(arch_, 1));
}

// Words of the header are no other instructions: data among them jumps nowhere.
void PltReader::arm()
{
	constexpr std::uint32_t push_link = 0xe52de004, jump = 0xe5bef008;
	from(0, arm_rule_of_pushed(0));
	for (std::uint64_t at = 0; at + 4 <= code_.size(); at += 4) {
		const std::uint32_t word = word_at(code_, at);
		if (word == push_link)
			from(at + 4, arm_rule_of_pushed(1));
		else if (word == jump)
			from(at + 4, arm_rule_of_pushed(0));
	}
}

void PltReader::arm64()
{
	constexpr std::uint32_t push_link = 0xa9bf7bf0, push_pair = 0xa9bf0fe2;
	constexpr std::uint32_t jump_link = 0xd61f0220, jump_pair = 0xd61f0040;
	from(0, arm64_rule(0, false));
	for (std::uint64_t at = 0; at + 4 <= code_.size(); at += 4) {
		const std::uint32_t word = word_at(code_, at);
		if (word == push_link || word == push_pair)
			from(at + 4, arm64_rule(16, word == push_link));
		else if (word == jump_link || word == jump_pair)
			from(at + 4, arm64_rule(0, false));
	}
}

struct PltSection {
	OffsetRange range;
	Bytes code;
};

std::vector<PltSection> plt_sections(const ElfFile& file)
{
	std::vector<PltSection> sections;
	for (const char* name : {".plt", ".plt.got", ".plt.sec", ".iplt"}) {
		const ElfFile::Found section = file.section(name);
		if (!section || !*section)
			continue;
		const Bytes code = (*section)->bytes;
		const auto range = offsets_of(file.segments(), (*section)->address, code.size());
		if (range && code.size() <= max_plt_bytes)
			sections.push_back({*range, code});
	}
	return sections;
}

// The rows that say something, within a range.
std::vector<Stretch> stretches_in(const TableRows& table, OffsetRange range)
{
	std::vector<Stretch> stretches;
	auto row = std::upper_bound(table.rows.begin(), table.rows.end(), range.start,
				    [](std::uint32_t at, const Row& row) { return at < row.start; });
	if (row != table.rows.begin())
		--row;
	for (; row != table.rows.end() && row->start < range.end; ++row) {
		const bool last = row + 1 == table.rows.end();
		const Stretch stretch{std::max(row->start, range.start),
				      last ? range.end : std::min(row[1].start, range.end), table.rules[row->rule]};
		if (stretch.start < stretch.end && stretch.rule.kind == UW_RULE_FRAME)
			stretches.push_back(stretch);
	}
	return stretches;
}

bool same_frame(Rule left, const Rule& right)
{
	left.base_slot = right.base_slot; // of which .sframe never speaks
	return left == right;
}

// Do both speak of one byte, and say different things?
bool contradicts(const TableRows& table, const Stretch& known)
{
	for (const Stretch& said : stretches_in(table, {known.start, known.end}))
		if (!same_frame(said.rule, known.rule))
			return true;
	return false;
}

} // namespace

std::vector<Stretch> plt_stretches(const ElfFile& file)
{
	std::vector<Stretch> stretches;
	for (const PltSection& section : plt_sections(file)) {
		PltReader reader(stretches, section.range, section.code, file.arch());
		if (file.arch() == Arch::arm64)
			reader.arm64();
		else if (file.arch() == Arch::arm)
			reader.arm();
		else
			reader.x86();
	}
	return stretches;
}

bool correct_plt(TableRows& sframe, const TableRows& known, const ElfFile& file)
{
	std::vector<Stretch> corrected;
	for (const PltSection& section : plt_sections(file))
		for (const Stretch& stretch : stretches_in(known, section.range))
			if (contradicts(sframe, stretch))
				corrected.push_back(stretch);
	if (corrected.empty() || sframe.rows.size() + 2 * corrected.size() > UW_MAX_ROWS)
		return false;
	TableRows table = rows_of(std::move(corrected));
	fill_gaps(table, sframe);
	sframe.rows = std::move(table.rows);
	sframe.rules = std::move(table.rules);
	return true;
}

} // namespace uwind
