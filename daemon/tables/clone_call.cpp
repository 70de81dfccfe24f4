// SPDX-License-Identifier: GPL-2.0
// The numbers of system calls are those of each architecture's unistd.h.
#include "tables/clone_call.h"

#include "tables/instruction_arm64.h"
#include "tables/instruction_x86.h"
#include "tables/system_call_arm.h"

extern "C" {
#include "table.h"
}

#include <algorithm>
#include <optional>

namespace uwind {
namespace {

constexpr std::uint64_t max_branch_bytes = 32, max_thread_bytes = 48, max_rest_bytes = 32;

// Offsets into a section's code.
struct Place {
	std::uint64_t before = 0, call = 0, behind = 0, branch_end = 0, thread = 0, thread_end = 0;
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
	bool is_system_call(std::uint64_t at) const;
	bool names_clone(std::uint64_t at) const;
	bool find_branch(Place& place) const;
	bool find_thread_end(Place& place) const;

	const Bytes code_;
	const bool is_64_;
};

// syscall, or int $0x80.
bool X86Search::is_system_call(std::uint64_t at) const
{
	return at + 2 <= code_.size() &&
	       (is_64_ ? code_[at] == 0x0f && code_[at + 1] == 0x05 : code_[at] == 0xcd && code_[at + 1] == 0x80);
}

// mov $n, %eax.
bool X86Search::names_clone(std::uint64_t at) const
{
	constexpr std::uint32_t clone_64 = 56, clone_32 = 120, clone3 = 435;
	const std::uint32_t number = code_[at] == 0xb8 && at + 5 <= code_.size() ? word_at(code_, at + 1) : 0;
	return number == clone3 || number == (is_64_ ? clone_64 : clone_32);
}

// je, behind a test of the result. Nothing else but pops and jumps of an error lies between.
bool X86Search::find_branch(Place& place) const
{
	for (std::uint64_t at = place.behind; at < place.behind + max_branch_bytes;) {
		const X86Instruction instruction = decode(at);
		const std::uint64_t next = at + instruction.bytes;
		const bool near = instruction.map == OpcodeMap::two && instruction.opcode == 0x84;
		if (!instruction.bytes)
			return false;
		if (instruction.is(0x74) || near) {
			place.branch_end = next;
			place.thread = next + static_cast<std::uint64_t>(instruction.immediate);
			return place.thread < code_.size();
		}
		const bool pop = instruction.map == OpcodeMap::one && (instruction.opcode & 0xf8) == 0x58;
		const bool less =
			instruction.is(0x7c) || (instruction.map == OpcodeMap::two && instruction.opcode == 0x8c);
		if (!pop && !less && !instruction.is(0x85))
			return false;
		at = next;
	}
	return false;
}

// A call through a register, with nothing before it that jumps.
bool X86Search::find_thread_end(Place& place) const
{
	for (std::uint64_t at = place.thread; at < place.thread + max_thread_bytes;) {
		const X86Instruction instruction = decode(at);
		const std::uint8_t op = instruction.opcode;
		const bool one = instruction.map == OpcodeMap::one && !instruction.vector;
		at += instruction.bytes;
		if (instruction.is(0xff) && instruction.extension() == 2 && instruction.on_register()) {
			place.thread_end = at;
			return true;
		}
		const bool jumps = one && ((op >= 0x70 && op <= 0x7f) || op == 0xc3 || op == 0xe8 || op == 0xe9 ||
					   op == 0xeb || op == 0xff);
		if (!instruction.bytes || jumps || instruction.map != OpcodeMap::one)
			return false;
	}
	return false;
}

void X86Search::run(std::vector<Place>& places) const
{
	constexpr std::uint64_t max_between = 8;
	for (std::uint64_t at = 0; at < code_.size(); at++) {
		if (!names_clone(at))
			continue;
		Place place;
		place.before = at;
		place.call = at + 5;
		while (place.call < at + max_between && !is_system_call(place.call))
			place.call++;
		place.behind = place.call + 2;
		if (is_system_call(place.call) && find_branch(place) && find_thread_end(place))
			places.push_back(place);
	}
}

// cmp x0, #0; b.eq: or cbz x0.
std::optional<std::uint64_t> branch_arm64(Bytes code, std::uint64_t at)
{
	constexpr std::uint32_t compare = 0xf100001f, equal = 0x54000000, is_zero = 0xb4000000;
	const std::uint32_t word = word_at(code, at);
	const bool by_flags = (word & 0xff00001f) == equal && word_at(code, at - 4) == compare;
	if (!by_flags && (word & 0xff00001f) != is_zero)
		return {};
	return at + static_cast<std::uint64_t>(flow_arm64(word).distance);
}

bool find_branch_arm64(Bytes code, Place& place)
{
	for (std::uint64_t at = place.behind; at + 4 <= code.size() && at < place.behind + max_branch_bytes; at += 4) {
		const auto thread = branch_arm64(code, at);
		place.branch_end = at + 4;
		place.thread = thread.value_or(0);
		if (thread || flow_arm64(word_at(code, at)).way != Arm64Way::next)
			return thread && *thread < code.size();
	}
	return false;
}

bool find_thread_end_arm64(Bytes code, Place& place)
{
	for (std::uint64_t at = place.thread; at + 4 <= code.size() && at < place.thread + max_thread_bytes; at += 4) {
		const Arm64Flow flow = flow_arm64(word_at(code, at));
		place.thread_end = at + 4;
		if (flow.way != Arm64Way::next)
			return flow.way == Arm64Way::call && !flow.has_target;
	}
	return false;
}

void search_arm64(Bytes code, std::vector<Place>& places)
{
	constexpr std::uint32_t clone = 0xd2801b88, clone3 = 0xd2803668, svc = 0xd4000001;
	for (std::uint64_t at = 0; at + 8 <= code.size(); at += 4) {
		const std::uint32_t number = word_at(code, at);
		Place place;
		place.before = at;
		place.call = at + 4;
		place.behind = at + 8;
		if ((number == clone || number == clone3) && word_at(code, at + 4) == svc &&
		    find_branch_arm64(code, place) && find_thread_end_arm64(code, place))
			places.push_back(place);
	}
}

Rule rule_at(const TableRows& table, std::uint32_t offset)
{
	const auto next = std::upper_bound(table.rows.begin(), table.rows.end(), offset,
					   [](std::uint32_t at, const Row& row) { return at < row.start; });
	return next == table.rows.begin() ? Rule{} : table.rules[next[-1].rule];
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
		if (!instruction.bytes || rule.cfa_off < abi.word)
			return;
		stretches.push_back({start, start + instruction.bytes, rule});
		at += instruction.bytes;
		const bool is_pop = instruction.map == OpcodeMap::one && (instruction.opcode & 0xf8) == 0x58;
		if (is_pop)
			pop(rule, is_64 ? amd64[instruction.opcode & 7] : instruction.opcode & 7, abi);
		else if (start >= call.either.end && !instruction.is(0x7c) &&
			 !(instruction.map == OpcodeMap::two && instruction.opcode == 0x8c))
			return;
	}
}

} // namespace

std::vector<CloneCall> clone_calls(const ElfFile& file)
{
	if (file.arch() == Arch::arm)
		return clone_calls_arm(file);
	std::vector<CloneCall> calls;
	for (const ElfSection& section : file.code_sections()) {
		std::vector<Place> places;
		if (file.arch() == Arch::arm64)
			search_arm64(section.bytes, places);
		else
			X86Search(section.bytes, file.arch()).run(places);
		const auto range = offsets_of(file.segments(), section.address, section.bytes.size());
		if (!range || range->start != section.offset)
			continue;
		const auto offset = [&](std::uint64_t at) { return range->start + static_cast<std::uint32_t>(at); };
		for (const Place& at : places)
			calls.push_back({offset(at.before),
					 offset(at.call),
					 {offset(at.behind), offset(at.branch_end)},
					 {offset(at.thread), offset(at.thread_end)},
					 section.address + at.behind});
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
		stretches.push_back({call.thread.start, call.thread.end, start});
	}
	return stretches;
}

void tell_threads_apart(TableRows& table, const std::vector<CloneCall>& calls)
{
	std::vector<Stretch> stretches;
	for (const CloneCall& call : calls)
		for (std::uint32_t at = call.either.start; at < call.either.end; at++) {
			Rule rule = rule_at(table, at);
			if (rule.kind == UW_RULE_FRAME || rule.kind == UW_RULE_READ) {
				rule.kind = UW_RULE_CLONE;
				stretches.push_back({at, at + 1, rule});
			}
		}
	if (stretches.empty() || table.rows.size() + 2 * stretches.size() > UW_MAX_ROWS)
		return;
	TableRows apart = rows_of(std::move(stretches));
	fill_gaps(apart, table);
	table.rows = std::move(apart.rows);
	table.rules = std::move(apart.rules);
}

} // namespace uwind
