// SPDX-License-Identifier: GPL-2.0
// Sorts the functions by file offset, then interprets each once, straight to rows.
#include "tables/cfi/eh_frame.h"

#include "elf/sections.h"
#include "elf/segments.h"
#include "tables/cfi/outlined.h"
#include "tables/cfi/program.h"
#include "tables/cfi/row_sink.h"
#include "tables/code/arm64/epilogue.h"
#include "tables/code/x86/code.h"
#include "tables/isa/arm64/instruction.h"

extern "C" {
#include "table.h"
}

#include <algorithm>
#include <cerrno>

namespace uwind {
namespace {

// A function's code in the file. end is cut by the next one's start.
struct Piece {
	std::uint32_t start, end;
	std::uint32_t fde;
};

Rule rule_of_kind(std::uint8_t kind)
{
	Rule rule;
	rule.kind = kind;
	return rule;
}

// Does a function give its frame pointer another value? Its instructions are read in order.
bool changes_fp(Bytes code, Arch arch)
{
	const std::uint8_t fp = uw_abis[static_cast<unsigned>(arch)].fp;
	if (arch == Arch::x86_64 || arch == Arch::i386)
		return changes_fp_x86(code, arch);
	for (std::size_t at = 0; arch == Arch::arm64 && at + 4 <= code.size(); at += 4) {
		const std::uint32_t word = word_at(code, at);
		const auto sum = sum_arm64(word);
		const auto access = access_arm64(word);
		if ((sum && sum->to == fp) ||
		    (access && access->load && !access->vector && (access->first == fp || access->second == fp)))
			return true;
	}
	return false;
}

std::vector<ElfSection> code_to_compare(const ElfFile* program, bool debug_frame)
{
	const bool compared =
		program && (debug_frame || program->arch() == Arch::i386 || program->arch() == Arch::arm64);
	return compared ? code_sections(*program) : std::vector<ElfSection>{};
}

class Lowering {
public:
	// program: the file whose instructions CFI is checked against; none: there is no such file.
	Lowering(const std::vector<Segment>& segments, Arch arch, CfiSection cfi, const ElfFile* program);
	Result<CfiRows> run();

private:
	Status collect();
	void sort();
	void note_tails();
	void interpret();
	void interpret(const Piece& piece, FrameProgram& program, std::uint32_t end_before);
	Bytes code_of(const Piece& piece) const;
	bool cfi_omits_push(const Piece& piece) const;
	bool cfi_shows_ends(const std::vector<Stretch>& ends) const;
	bool cfi_shows_beginnings(const Piece& piece) const;
	void check_against_code(const Piece& piece, std::uint64_t address);
	CfiRows take_rows();
	void add_outlined(CfiRows& rows);

	const std::vector<Segment>& segments_;
	CfiSection cfi_;
	FrameAbi abi_;
	RowBuilder builder_;
	RowSink sink_;
	std::vector<Piece> pieces_;
	std::vector<Stretch> tails_; // of functions that others cut short: what comes after these
	std::vector<CodeFunction> doubtful_, functions_;
	std::vector<OffsetRange> sync_only_; // functions with synchronous CFI; in order
	std::vector<Stretch> epilogues_;     // of these
	const Arch arch_;
	const ElfFile* const program_;
	const std::vector<ElfSection> code_;
};

// Rows that compilers write take five bytes and more.
Lowering::Lowering(const std::vector<Segment>& segments, Arch arch, CfiSection cfi, const ElfFile* program)
    : segments_(segments), cfi_(std::move(cfi)), abi_(frame_abi(arch)), builder_(cfi_.bytes.size() / 5),
      sink_(abi_, builder_), arch_(arch), program_(program), code_(code_to_compare(program, cfi_.debug))
{
}

Result<CfiRows> Lowering::run()
{
	if (Status status = read_cfi_section(cfi_); !status)
		return status.error();
	if (Status status = collect(); !status)
		return status.error();
	sort();
	interpret();
	if (sink_.full())
		return Error{E2BIG, std::string(cfi_.debug ? ".debug_frame" : ".eh_frame") + " gives more than " +
					    std::to_string(UW_MAX_ROWS) + " rows, the most that a table takes"};
	return take_rows();
}

CfiRows Lowering::take_rows()
{
	CfiRows rows;
	rows.section = true;
	rows.accepted = builder_.take();
	rows.accepted.method = cfi_.debug ? UW_METHOD_DEBUG_FRAME : UW_METHOD_EH_FRAME;
	rows.accepted.arch = abi_.arch;
	rows.left_out = sink_.left_out();
	rows.left_out.insert(rows.left_out.end(), tails_.begin(), tails_.end());
	add_outlined(rows);
	rows.accepted.inexpressible = sink_.reasons();
	rows.sync_only = cut_out(rows.accepted, sync_only_);
	rows.epilogues = std::move(epilogues_);
	rows.doubtful = std::move(doubtful_);
	rows.functions = std::move(functions_);
	rows.stated = sink_.take_stated();
	return rows;
}

void Lowering::add_outlined(CfiRows& rows)
{
	std::vector<Stretch> composed;
	if (program_)
		composed = compose_outlined(sink_.outlined(), rows.accepted, *program_);
	fill_gaps(rows.accepted, rows_of(composed));
	for (const OutlinedRow& row : sink_.outlined())
		rows.left_out.push_back({row.range.start, row.range.end, rule_of_kind(UW_RULE_UNKNOWN)});
	for (const Stretch& stretch : composed)
		if (stretch.rule.kind == UW_RULE_UNKNOWN)
			sink_.count(CfiReason::ra_expression);
}

Status Lowering::collect()
{
	for (std::size_t i = 0; i < std::size(cfi_.skipped); i++)
		sink_.count(static_cast<CfiReason>(i), cfi_.skipped[i]);
	pieces_.reserve(cfi_.fdes.size());
	const Segment* segment = nullptr;
	for (std::uint32_t i = 0; i < cfi_.fdes.size(); i++) {
		const Fde& fde = cfi_.fdes[i];
		if (!segment || !segment_holds(*segment, fde.start, fde.bytes))
			segment = find_segment(segments_, fde.start, fde.bytes);
		if (!segment) {
			sink_.count(CfiReason::outside);
			continue;
		}
		const std::uint64_t start = fde.start - segment->address + segment->offset;
		if (start + fde.bytes > max_offset)
			return offset_error(start + fde.bytes);
		pieces_.push_back(
			{static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(start + fde.bytes), i});
	}
	return Nothing{};
}

// Of the sorted functions, before any is cut: the parts that one covers after the end of one that counts instead.
void Lowering::note_tails()
{
	std::uint32_t counted = 0, end = 0, reach = 0; // start and end of the last that counts; where any ends
	const auto note_until = [&](std::uint32_t next) {
		const std::uint32_t tail = std::min(reach, next);
		if (end < tail)
			tails_.push_back({end, tail, rule_of_kind(UW_RULE_UNKNOWN)});
	};
	for (const Piece& piece : pieces_) {
		if (piece.start != counted || !reach) {
			note_until(piece.start);
			counted = piece.start;
			end = piece.end;
		}
		reach = std::max(reach, piece.end);
	}
	note_until(reach);
}

void Lowering::sort()
{
	const auto by_start = [](const Piece& left, const Piece& right) { return left.start < right.start; };
	if (!std::is_sorted(pieces_.begin(), pieces_.end(), by_start))
		std::stable_sort(pieces_.begin(), pieces_.end(), by_start);
	note_tails();
	const auto last = std::unique(pieces_.begin(), pieces_.end(),
				      [](const Piece& left, const Piece& right) { return left.start == right.start; });
	sink_.count(CfiReason::shadowed, static_cast<std::uint64_t>(pieces_.end() - last));
	pieces_.erase(last, pieces_.end());
	for (std::size_t i = 1; i < pieces_.size(); i++)
		pieces_[i - 1].end = std::min(pieces_[i - 1].end, pieces_[i].start);
}

void Lowering::interpret()
{
	FrameProgram program(cfi_, abi_, sink_);
	for (std::size_t i = 0; i < pieces_.size() && !sink_.full(); i++) {
		interpret(pieces_[i], program, i ? pieces_[i - 1].end : 0);
		if (i + 1 == pieces_.size() || pieces_[i + 1].start > pieces_[i].end)
			builder_.add_numbered(pieces_[i].end, 0); // of kind NONE
	}
}

Bytes Lowering::code_of(const Piece& piece) const
{
	const std::uint64_t bytes = piece.end - piece.start;
	for (const ElfSection& section : code_) {
		const std::uint64_t into = piece.start - section.offset;
		if (into < section.bytes.size() && bytes <= section.bytes.size() - into)
			return section.bytes.subspan(into, bytes);
	}
	return {};
}

// The CFI of glibc 2.36's i386 memcpy() omits a register that it pushes.
bool Lowering::cfi_omits_push(const Piece& piece) const
{
	return arch_ == Arch::i386 && sink_.traits().flat && pushes_x86(code_of(piece), arch_);
}

// clang 14's CFI omits how frames of arm64 are undone. Each end begins with what leaves the function.
bool Lowering::cfi_shows_ends(const std::vector<Stretch>& ends) const
{
	for (std::size_t i = 0; i < ends.size(); i++)
		if ((i == 0 || ends[i].end != ends[i - 1].start) &&
		    sink_.traits().frame_at(ends[i].start) == CfiFrame::made)
			return false;
	return true;
}

// It also omits how they are made. A function that never returns has no end that could show it.
bool Lowering::cfi_shows_beginnings(const Piece& piece) const
{
	const Bytes code = code_of(piece);
	for (std::uint32_t at = 0; at + 8 <= code.size(); at += 4)
		if (lowers_sp_arm64(word_at(code, at)) &&
		    sink_.traits().frame_at(piece.start + at + 4) == CfiFrame::bare)
			return false;
	return true;
}

void Lowering::check_against_code(const Piece& piece, std::uint64_t address)
{
	std::vector<Stretch> ends;
	read_epilogues_arm64(code_of(piece), piece.start, ends);
	if (cfi_shows_ends(ends) && cfi_shows_beginnings(piece))
		return;
	sync_only_.push_back({piece.start, piece.end});
	if (sink_.traits().frame_at(piece.start) == CfiFrame::bare)
		doubtful_.push_back({address, piece.end - piece.start});
	epilogues_.insert(epilogues_.end(), ends.begin(), ends.end());
}

// end_before: of the piece before it.
void Lowering::interpret(const Piece& piece, FrameProgram& program, std::uint32_t end_before)
{
	const Fde& fde = cfi_.fdes[piece.fde];
	CfiFunction function;
	function.bias = fde.start - piece.start;
	function.end = fde.start + (piece.end - piece.start);
	function.signal_frame = cfi_.cies[fde.cie].signal_frame;
	if (function.signal_frame && arch_ == Arch::i386 && end_before < piece.start)
		function.returned_to = fde.start;
	const std::size_t before = builder_.size();
	sink_.begin(function);
	program.run_fde(fde, function.end);
	const auto run_again = [&] {
		builder_.truncate(before);
		sink_.begin_again(function);
		program.run_fde(fde, function.end);
	};
	function.raise = sink_.traits().missing_cfa_bytes;
	if (function.raise)
		run_again();
	if (cfi_.debug)
		functions_.push_back({fde.start, piece.end - piece.start});
	function.lose_fp = cfi_.debug && !sink_.traits().mentions_fp && changes_fp(code_of(piece), arch_);
	if (function.lose_fp)
		run_again();
	if (arch_ == Arch::arm64)
		check_against_code(piece, fde.start);
	if (!sink_.traits().contradicts_itself && !cfi_omits_push(piece))
		return;
	builder_.truncate(before);
	sink_.forget_left_out();
	builder_.add(piece.start, Rule{});
	sink_.count(CfiReason::contradiction);
	doubtful_.push_back({fde.start, piece.end - piece.start});
}

} // namespace

CfiSection cfi_section_of(const ElfFile& file, const ElfSection& section)
{
	CfiSection cfi;
	cfi.bytes = section.bytes;
	cfi.end_known = section.end_known;
	cfi.bases.section = section.address;
	cfi.bases.text = file.section_address(".text");
	cfi.bases.data = file.section_address(".got");
	cfi.bases.word = word_bytes(file.arch());
	return cfi;
}

Result<CfiRows> lower_debug_frame(const ElfFile& file, const std::vector<Segment>& segments, const ElfFile* program)
{
	const ElfFile::Found section = debug_frame_section(file);
	if (!section)
		return section.error();
	if (!*section)
		return Error{ENODATA, "there is no .debug_frame in it"};
	CfiSection cfi;
	cfi.bytes = (*section)->bytes;
	cfi.debug = true;
	cfi.bases.word = word_bytes(file.arch());
	Result<CfiRows> rows = Lowering(segments, file.arch(), std::move(cfi), program).run();
	if (rows && rows->accepted.rows.empty() && rows->sync_only.rows.empty())
		return Error{ENODATA, ".debug_frame describes no code of this file"};
	return rows;
}

Result<CfiRows> lower_eh_frame(const ElfFile& file)
{
	const ElfFile::Found section = eh_frame_section(file);
	if (!section)
		return section.error();
	if (!*section)
		return CfiRows{};
	return Lowering(file.segments(), file.arch(), cfi_section_of(file, **section), &file).run();
}

} // namespace uwind
