// SPDX-License-Identifier: GPL-2.0
// The numbers of system calls are those of each architecture's unistd.h.
#include "tables/known/clone_call.h"

#include "elf/sections.h"
#include "tables/code/x86/flow.h"
#include "tables/isa/arm64/instruction.h"
#include "tables/isa/x86/instruction.h"
#include "tables/known/clone_call_parts.h"

extern "C" {
#include "table.h"
}

#include <algorithm>
#include <cstring>

namespace uwind {
namespace {

constexpr std::uint64_t max_between_bytes = 48, max_branch_bytes = 32, max_thread_bytes = 80, max_rest_bytes = 32;
constexpr std::size_t max_places = 1024; // of a section
constexpr std::uint8_t mov_eax = 0xb8, mov_al = 0xb0;

// Offsets into a section's code.
struct Place {
	std::uint64_t before = 0, call = 0, after = 0, branch_end = 0, thread = 0, thread_end = 0;
	// What the new thread does up to its first call, or jump.
	std::int64_t popped = 0; // bytes, from the system call on
	bool clears_fp = false;
	bool calls_register = false, branches = false;
};

// Reads one section of x86 code.
class X86Search {
public:
	X86Search(Bytes code, Arch arch) : code_(code), is_64_(arch == Arch::x86_64) {}
	void run(std::vector<Place>& places) const;

private:
	X86Instruction decode(std::uint64_t at) const
	{
		return at < code_.size() ? decode_x86(code_.subspan(at), is_64_) : X86Instruction{};
	}
	void search(std::uint32_t number, std::size_t from, std::size_t to, std::vector<Place>& places) const;
	bool is_system_call(std::uint64_t at) const;
	bool names(std::uint64_t at, std::uint32_t number) const;
	bool find_call(Place& place) const;
	void pop(const X86Instruction& instruction, Place& place) const;
	bool find_branch(Place& place) const;
	void find_thread_end(Place& place) const;

	const Bytes code_;
	const bool is_64_;
};

// syscall, or int $0x80.
bool X86Search::is_system_call(std::uint64_t at) const
{
	return at + 2 <= code_.size() &&
	       (is_64_ ? code_[at] == 0x0f && code_[at + 1] == 0x05 : code_[at] == 0xcd && code_[at + 1] == 0x80);
}

// mov $n, %eax or, as musl has it, mov $n, %al.
bool X86Search::names(std::uint64_t at, std::uint32_t number) const
{
	if (code_[at] == mov_al)
		return code_[at + 1] == number;
	return code_[at] == mov_eax && at + 5 <= code_.size() && word_at(code_, at + 1) == number;
}

bool is_pop(const X86Instruction& instruction)
{
	return instruction.map == OpcodeMap::one && !instruction.vector && (instruction.opcode & 0xf8) == 0x58;
}

bool is_condition(const X86Instruction& instruction, std::uint8_t condition)
{
	return instruction.is(0x70 | condition) ||
	       (instruction.map == OpcodeMap::two && instruction.opcode == (0x80 | condition));
}

// Of the result: test %eax, %eax or cmp $0, %eax.
bool is_test(const X86Instruction& instruction)
{
	const bool result = instruction.on_register() && !instruction.rm;
	return result && ((instruction.is(0x85) && !instruction.reg) ||
			  (instruction.is(0x83) && instruction.extension() == 7 && !instruction.immediate));
}

constexpr std::uint8_t if_equal = 4, if_not_equal = 5, if_less = 0xc;

// After the number, arguments may be put in place.
bool X86Search::find_call(Place& place) const
{
	std::uint64_t at = place.before;
	for (const std::uint64_t first = at; at < first + max_between_bytes && !is_system_call(at);) {
		const X86Instruction instruction = decode(at);
		if (!instruction.bytes || flow_x86(instruction, at).way != X86Way::next)
			return false;
		place.before = at;
		at += instruction.bytes;
	}
	place.call = at;
	place.after = at + 2;
	return is_system_call(at);
}

void X86Search::pop(const X86Instruction& instruction, Place& place) const
{
	if (is_pop(instruction))
		place.popped += is_64_ ? 8 : 4;
}

// je or jne, after a test of the result. Nothing else but pops and jumps of an error lies between.
bool X86Search::find_branch(Place& place) const
{
	bool tested = false;
	for (std::uint64_t at = place.after; at < place.after + max_branch_bytes;) {
		const X86Instruction instruction = decode(at);
		const bool equal = is_condition(instruction, if_equal);
		if (!instruction.bytes)
			return false;
		at += instruction.bytes;
		if (tested && (equal || is_condition(instruction, if_not_equal))) {
			place.branch_end = at;
			place.thread = equal ? at + static_cast<std::uint64_t>(instruction.immediate) : at;
			return place.thread < code_.size();
		}
		if (!is_pop(instruction) && !is_condition(instruction, if_less) && !is_test(instruction))
			return false;
		pop(instruction, place);
		tested = tested || is_test(instruction);
	}
	return false;
}

// The first call or jump. Old C libraries ask for the process's number before, on one way.
void X86Search::find_thread_end(Place& place) const
{
	constexpr std::uint8_t fp = 5; // in instructions
	for (std::uint64_t at = place.thread; at < place.thread + max_thread_bytes;) {
		const X86Instruction instruction = decode(at);
		const X86Way way = flow_x86(instruction, at).way;
		const bool calls_register =
			instruction.is(0xff) && instruction.extension() == 2 && instruction.on_register();
		if (!instruction.bytes)
			return;
		at += instruction.bytes;
		pop(instruction, place);
		place.clears_fp |= (instruction.is(0x31) || instruction.is(0x33)) && instruction.on_register() &&
				   instruction.reg == fp && instruction.rm == fp;
		place.branches |= way == X86Way::branch;
		if (calls_register || way == X86Way::call || way == X86Way::jump) {
			place.calls_register = calls_register;
			place.thread_end = at;
			return;
		}
		if (way != X86Way::next && way != X86Way::branch)
			return;
	}
}

// The number's low byte, at one of these offsets, comes right after the instruction's first.
void X86Search::search(std::uint32_t number, std::size_t from, std::size_t to, std::vector<Place>& places) const
{
	const int low = static_cast<std::uint8_t>(number);
	for (std::size_t at = from; at < to && places.size() < max_places; at++) {
		const void* const found = std::memchr(code_.data() + at, low, to - at);
		if (!found)
			return;
		at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - code_.data());
		Place place;
		place.before = at - 1;
		if (!names(place.before, number) || !find_call(place) || !find_branch(place))
			continue;
		find_thread_end(place);
		places.push_back(place);
	}
}

// For both numbers, in pieces that a cache holds.
void X86Search::run(std::vector<Place>& places) const
{
	constexpr std::uint32_t clone_64 = 56, clone_32 = 120, clone3 = 435;
	constexpr std::size_t piece = 128 << 10;
	for (std::size_t from = 1; from < code_.size(); from += piece) {
		const std::size_t to = std::min(from + piece, code_.size());
		search(is_64_ ? clone_64 : clone_32, from, to, places);
		search(clone3, from, to, places);
	}
	std::sort(places.begin(), places.end(),
		  [](const Place& left, const Place& right) { return left.before < right.before; });
}

// cmp x0, #0; b.eq: or cbz x0; or the opposite. Or the same of w0.
bool find_branch_arm64(Bytes code, Place& place)
{
	constexpr std::uint32_t either_width = 0x7fffffff, compare = 0x7100001f, equal = 0x54000000,
				is_zero = 0x34000000, opposite_flags = 1, opposite_zero = 1u << 24;
	for (std::uint64_t at = place.after; at + 4 <= code.size() && at < place.after + max_branch_bytes; at += 4) {
		const std::uint32_t word = word_at(code, at);
		const bool by_flags = (word & 0xff00001e) == equal && (word_at(code, at - 4) & either_width) == compare;
		const Arm64Flow flow = flow_arm64(word);
		place.branch_end = at + 4;
		if (by_flags || (word & 0x7e00001f) == is_zero) {
			const bool opposite = word & (by_flags ? opposite_flags : opposite_zero);
			place.thread = opposite ? at + 4 : at + static_cast<std::uint64_t>(flow.distance);
			return place.thread < code.size();
		}
		if (flow.way != Arm64Way::next)
			return false;
	}
	return false;
}

std::int64_t popped_arm64(std::uint32_t word)
{
	if (const auto access = access_arm64(word))
		return access->base == UW_ARM64_SP && access->load ? access->moved_after : 0;
	const auto sum = sum_arm64(word);
	return sum && sum->to == UW_ARM64_SP && sum->from == UW_ARM64_SP && sum->whole && !sum->sets_flags ? sum->value
													   : 0;
}

// mov x29, #0, or from the register that is always 0.
bool clears_fp_arm64(std::uint32_t word)
{
	constexpr std::uint32_t from_zero = 0xaa1f03fd;
	const auto part = part_arm64(word);
	return word == from_zero || (part && part->to == UW_ARM64_FP && !part->value && !part->kept);
}

void find_thread_end_arm64(Bytes code, Place& place)
{
	for (std::uint64_t at = place.thread; at + 4 <= code.size() && at < place.thread + max_thread_bytes; at += 4) {
		const std::uint32_t word = word_at(code, at);
		const Arm64Flow flow = flow_arm64(word);
		place.popped += popped_arm64(word);
		place.clears_fp |= clears_fp_arm64(word);
		place.branches |= flow.way == Arm64Way::branch;
		if (flow.way == Arm64Way::call || flow.way == Arm64Way::jump || flow.way == Arm64Way::computed_jump) {
			place.calls_register = flow.way == Arm64Way::call && !flow.has_target;
			place.thread_end = at + 4;
			return;
		}
		if (flow.way != Arm64Way::next && flow.way != Arm64Way::branch)
			return;
	}
}

// mov x8, #n; svc #0.
void search_arm64(Bytes code, std::vector<Place>& places)
{
	constexpr std::uint32_t either_width = 0x7fffffff, clone = 0x52801b88, clone3 = 0x52803668, svc = 0xd4000001;
	for (std::uint64_t at = 0; at + 8 <= code.size() && places.size() < max_places; at += 4) {
		const std::uint32_t number = word_at(code, at) & either_width;
		if ((number != clone && number != clone3) || word_at(code, at + 4) != svc)
			continue;
		Place place;
		place.before = at;
		place.call = at + 4;
		place.after = at + 8;
		if (!find_branch_arm64(code, place))
			continue;
		find_thread_end_arm64(code, place);
		places.push_back(place);
	}
}

Rule rule_at(const TableRows& table, std::uint32_t offset)
{
	const auto next = std::upper_bound(table.rows.begin(), table.rows.end(), offset,
					   [](std::uint32_t at, const Row& row) { return at < row.start; });
	return next == table.rows.begin() ? Rule{} : table.rules[next[-1].rule];
}

// More is taken from the stack than was on it: it is another one. A child process has its parent's.
bool takes_too_much(const CloneCall& call, std::int64_t popped, const TableRows& cfi, const uw_abi& abi)
{
	const Rule rule = rule_at(cfi, call.before);
	const std::int32_t pushed = rule.cfa_off - (abi.lr == UW_NO_REG ? abi.word : 0);
	return rule.kind == UW_RULE_FRAME && rule.cfa_kind == UW_CFA_REG && rule.cfa_reg == abi.sp && popped > pushed;
}

// Where CFI says that there is a caller, there may be one.
bool begins_thread(const Place& place, const CloneCall& call, const TableRows& cfi, const TableRows& stated,
		   const uw_abi& abi)
{
	const std::uint8_t kind = rule_at(cfi, call.thread.start).kind;
	if (kind == UW_RULE_OUTERMOST || rule_at(stated, call.thread.start).kind == UW_RULE_OUTERMOST)
		return true;
	if (!place.thread_end)
		return false;
	return takes_too_much(call, place.popped, cfi, abi) ||
	       (kind != UW_RULE_FRAME && (place.clears_fp || (place.calls_register && !place.branches)));
}

// A register comes back from where the CFA says that it is: then it is where it belongs.
void pop(Rule& rule, std::uint8_t reg, const uw_abi& abi)
{
	if (reg == abi.fp && rule.fp_place == UW_PLACE_CFA_MEM && rule.fp_off == -rule.cfa_off) {
		rule.fp_place = UW_PLACE_SAME;
		rule.fp_off = 0;
	}
	if (reg == abi.base && rule.base_slot * abi.word == rule.cfa_off)
		rule.base_slot = 0;
	rule.cfa_off -= abi.word;
}

// From the system call to the old thread's return.
void continue_row(const ElfFile& file, const CloneCall& call, Rule rule, std::vector<Stretch>& stretches)
{
	// A number in an instruction, and DWARF's.
	constexpr std::uint8_t amd64[] = {0, 2, 1, 3, 7, 6, 4, 5};
	const bool is_64 = file.arch() == Arch::x86_64;
	const uw_abi& abi = uw_abis[static_cast<unsigned>(file.arch())];
	const std::uint64_t call_bytes = call.either.start - call.call;
	const Bytes code = file.read(call.either_address - call_bytes, call.either.end - call.call + max_rest_bytes);
	for (std::uint64_t at = 0; at < code.size();) {
		const X86Instruction instruction = decode_x86(code.subspan(at), is_64);
		const std::uint32_t start = call.call + static_cast<std::uint32_t>(at);
		if (!instruction.bytes || rule.cfa_off < abi.word || start == call.thread.start)
			return;
		stretches.push_back({start, start + instruction.bytes, rule});
		at += instruction.bytes;
		if (is_pop(instruction))
			pop(rule, is_64 ? amd64[instruction.opcode & 7] : instruction.opcode & 7, abi);
		else if (start >= call.either.end && !is_condition(instruction, if_less))
			return;
	}
}

} // namespace

std::vector<CloneCall> clone_calls(const ElfFile& file, const TableRows& cfi, const TableRows& stated)
{
	if (file.arch() == Arch::arm)
		return clone_calls_arm(file);
	std::vector<CloneCall> calls;
	for (const ElfSection& section : code_sections(file)) {
		std::vector<Place> places;
		if (file.arch() == Arch::arm64)
			search_arm64(section.bytes, places);
		else
			X86Search(section.bytes, file.arch()).run(places);
		const auto range = offsets_of(file.segments(), section.address, section.bytes.size());
		if (!range || range->start != section.offset)
			continue;
		const auto offset = [&](std::uint64_t at) { return range->start + static_cast<std::uint32_t>(at); };
		for (const Place& at : places) {
			const CloneCall call{offset(at.before),
					     offset(at.call),
					     {offset(at.after), offset(at.branch_end)},
					     {offset(at.thread), offset(std::max(at.thread, at.thread_end))},
					     section.address + at.after};
			if (begins_thread(at, call, cfi, stated, uw_abis[static_cast<unsigned>(file.arch())]))
				calls.push_back(call);
		}
	}
	return calls;
}

std::vector<Stretch> clone_stretches(const ElfFile& file, const TableRows& table, const std::vector<CloneCall>& calls)
{
	std::vector<Stretch> stretches;
	const bool x86 = file.arch() == Arch::x86_64 || file.arch() == Arch::i386;
	const std::uint8_t sp = uw_abis[static_cast<unsigned>(file.arch())].sp;
	Rule start;
	start.kind = UW_RULE_THREAD_START;
	for (const CloneCall& call : calls) {
		const Rule rule = rule_at(table, call.before);
		if (x86 && rule.kind == UW_RULE_FRAME && rule.cfa_kind == UW_CFA_REG && rule.cfa_reg == sp)
			continue_row(file, call, rule, stretches);
		if (call.thread.start < call.thread.end)
			stretches.push_back({call.thread.start, call.thread.end, start});
	}
	return stretches;
}

void set_clone_rules(TableRows& table, const std::vector<CloneCall>& calls)
{
	std::vector<Stretch> stretches;
	const auto set_kind = [&](OffsetRange range, std::uint8_t kind) {
		for (std::uint32_t at = range.start; at < range.end; at++) {
			Rule rule = rule_at(table, at);
			if (rule.kind != UW_RULE_FRAME && rule.kind != UW_RULE_READ)
				continue;
			if (kind == UW_RULE_THREAD_START)
				rule = Rule{};
			rule.kind = kind;
			stretches.push_back({at, at + 1, rule});
		}
	};
	for (const CloneCall& call : calls) {
		set_kind(call.either, UW_RULE_CLONE);
		set_kind(call.thread, UW_RULE_THREAD_START);
	}
	if (stretches.empty() || table.rows.size() + 2 * stretches.size() > UW_MAX_ROWS)
		return;
	TableRows apart = rows_of(std::move(stretches));
	fill_gaps(apart, table);
	table.rows = std::move(apart.rows);
	table.rules = std::move(apart.rules);
}

} // namespace uwind
