// SPDX-License-Identifier: GPL-2.0
// Follows every path from where functions begin, one beginning after the other:
// symbols and what is called first, then what they do not reach. A beginning one of
// whose paths returns where no return address can be takes back all that it told. Behind
// the functions whose ends are known, an aligned place from which a path returns well is
// a beginning, too: the middle of a function would take more from the stack than it put there.
#include "tables/code_x86.h"

#include "tables/frame_x86.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <map>

namespace uwind {
namespace {

constexpr std::size_t max_candidates = 8;
constexpr std::size_t max_steps_per_byte = 16; // nothing is read any more behind these
constexpr std::uint64_t alignment = 16;        // of functions

enum class Flow : std::uint8_t { next, jump, branch, call, computed_jump, leave, stop };

struct Where {
	Flow flow = Flow::next;
	std::int64_t target = 0; // of jump, branch and call: index of the byte
};

Where flow_of(const X86Instruction& instruction, std::size_t at)
{
	const std::uint8_t op = instruction.opcode;
	// Of jumps the immediate has four bytes at most.
	const auto target =
		static_cast<std::int64_t>(at + instruction.bytes + static_cast<std::uint64_t>(instruction.immediate));
	if (instruction.vector)
		return {};
	if (instruction.map == OpcodeMap::two) {
		if (op >= 0x80 && op <= 0x8f)
			return {Flow::branch, target};
		const bool stops = op == 0x0b || op == 0xff || op == 0xb9 || op == 0x34; // ud2, ud0, ud1, sysenter
		return {stops ? Flow::stop : Flow::next, 0};
	}
	if (instruction.map != OpcodeMap::one)
		return {};
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3))
		return {Flow::branch, target};
	switch (op) {
	case 0xe8:
		return {Flow::call, target};
	case 0xe9:
	case 0xeb:
		return {Flow::jump, target};
	case 0xc2:
	case 0xc3:
		return {Flow::leave, 0};
	case 0xff:
		if (instruction.extension() == 4)
			return {Flow::computed_jump, 0};
		return {instruction.extension() == 3 || instruction.extension() == 5 ? Flow::stop : Flow::next, 0};
	case 0x9a: // to another segment, and from there
	case 0xea:
	case 0xca:
	case 0xcb:
	case 0xcf:
	case 0xcc: // traps
	case 0xf4:
		return {Flow::stop, 0};
	default:
		return {};
	}
}

// What lies between functions: int3, nops of all lengths, and zeros.
bool is_padding(const X86Instruction& instruction, Bytes code)
{
	const bool nop = instruction.is(0x90) || (instruction.map == OpcodeMap::two && instruction.opcode == 0x1f);
	const bool lea = instruction.is(0x8d) && instruction.plain_base && instruction.reg == instruction.rm &&
			 !instruction.displacement;
	const bool move = instruction.is(0x89) && instruction.on_register() && instruction.reg == instruction.rm;
	return instruction.is(0xcc) || nop || lea || move || (code.size() > 1 && !code[0] && !code[1]);
}

class CodeReader {
public:
	CodeReader(Bytes code, std::uint64_t address, Arch arch)
	    : code_(code), address_(address), arch_(arch), seen_(code.size()), frames_(code.size(), X86Frame(arch)),
	      begins_(code.size()), steps_left_(code.size() * max_steps_per_byte)
	{
	}

	void run(const std::vector<CodeFunction>& functions);
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	enum Seen : std::uint8_t { unseen, settled, disputed, tried };

	X86Instruction decode(std::size_t at) const;
	bool is_padding_at(std::size_t at) const;
	bool is_function(std::int64_t at) const;
	void note_function(std::int64_t at);
	void read_functions();
	void read_rest();
	std::vector<X86Frame> candidates_at(std::size_t at) const;
	void begin_at(std::size_t at);
	bool follow_from(std::size_t at, const X86Frame& frame);
	void settle();
	void forget();
	void step(std::size_t at);
	void arrive(std::int64_t at, const X86Frame& frame);
	static void note_jump(std::vector<X86Frame>& jumps, const X86Frame& frame);

	const Bytes code_;
	const std::uint64_t address_;
	const Arch arch_;
	std::vector<std::uint8_t> seen_;     // of an instruction's first byte
	std::vector<X86Frame> frames_;       // before it
	std::vector<bool> begins_;           // a function does
	std::vector<std::size_t> functions_; // to be read
	std::size_t steps_left_;
	// Of what is being tried.
	std::vector<std::size_t> pending_, trail_;
	std::vector<std::int64_t> calls_;
	bool orphan_ = false; // maybe a function that nobody calls directly
	bool wrong_ = false;
	bool returned_ = false;       // well
	bool proven_ = false;         // so it did, or jumped to a function, or met what is settled
	std::vector<X86Frame> jumps_; // frames at its computed jumps
	// The same, of all that was read since the function began.
	std::map<std::size_t, std::vector<X86Frame>> jumps_of_; // by beginning
	std::map<std::size_t, std::size_t> ends_;
	std::vector<X86Frame> function_jumps_;
	std::size_t function_end_ = 0; // 0: not known
};

bool CodeReader::is_padding_at(std::size_t at) const
{
	return at >= code_.size() || is_padding(decode(at), code_.subspan(at));
}

X86Instruction CodeReader::decode(std::size_t at) const
{
	return decode_x86(code_.subspan(at), arch_ == Arch::x86_64);
}

bool CodeReader::is_function(std::int64_t at) const
{
	return at >= 0 && at < static_cast<std::int64_t>(code_.size()) && begins_[at];
}

// A path comes to an instruction. What was settled stays.
void CodeReader::arrive(std::int64_t at, const X86Frame& frame)
{
	if (at < 0 || at >= static_cast<std::int64_t>(code_.size()) || begins_[at])
		return;
	switch (seen_[at]) {
	case settled:
		wrong_ |= !(frames_[at] == frame);
		proven_ |= frames_[at] == frame;
		return;
	case disputed:
		return;
	case tried:
		wrong_ |= !(frames_[at] == frame);
		return;
	default:
		seen_[at] = tried;
		frames_[at] = frame;
		trail_.push_back(static_cast<std::size_t>(at));
		pending_.push_back(static_cast<std::size_t>(at));
	}
}

// One more than can be candidates says that there are too many.
void CodeReader::note_jump(std::vector<X86Frame>& jumps, const X86Frame& frame)
{
	if (jumps.size() <= max_candidates && std::find(jumps.begin(), jumps.end(), frame) == jumps.end())
		jumps.push_back(frame);
}

void CodeReader::step(std::size_t at)
{
	const X86Instruction instruction = decode(at);
	X86Frame frame = frames_[at];
	wrong_ |= frame.is_impossible();
	if (!instruction.bytes)
		return;
	const Where where = flow_of(instruction, at);
	const auto next = static_cast<std::int64_t>(at + instruction.bytes);
	switch (where.flow) {
	case Flow::call:
		if (where.target == next) {
			frame.push_word(); // only to learn the pc
		} else {
			wrong_ |= orphan_ && !frame.calls_aligned();
			calls_.push_back(where.target);
		}
		if (is_padding_at(at + instruction.bytes))
			return; // a call that does not return, and another function behind it
		break;
	case Flow::jump:
		proven_ |= is_function(where.target) && !frame.returns_wrongly();
		return arrive(where.target, frame);
	case Flow::branch:
		arrive(where.target, frame);
		break;
	case Flow::computed_jump:
		return note_jump(jumps_, frame);
	case Flow::leave:
		wrong_ |= frame.returns_wrongly();
		proven_ = returned_ = true;
		return;
	case Flow::stop:
		return;
	case Flow::next:
		frame.execute(instruction);
		break;
	}
	arrive(next, frame);
}

// Whether code that begins at a place with such a frame makes sense. What may be the
// middle of a function must prove it.
bool CodeReader::follow_from(std::size_t at, const X86Frame& frame)
{
	wrong_ = proven_ = returned_ = false;
	orphan_ = !begins_[at] && frame == X86Frame(arch_);
	jumps_.clear();
	calls_.clear();
	trail_.assign(1, at);
	pending_.assign(1, at);
	seen_[at] = tried;
	frames_[at] = frame;
	while (!pending_.empty() && !wrong_) {
		wrong_ = !steps_left_;
		steps_left_ -= !wrong_;
		const std::size_t next = pending_.back();
		pending_.pop_back();
		step(next);
	}
	return !wrong_ && (orphan_ ? returned_ : proven_ || begins_[at]);
}

void CodeReader::forget()
{
	for (const std::size_t at : trail_)
		seen_[at] = unseen;
}

void CodeReader::settle()
{
	for (const std::size_t at : trail_)
		seen_[at] = settled;
	for (const X86Frame& frame : jumps_)
		note_jump(function_jumps_, frame);
	for (const std::int64_t at : calls_)
		note_function(at);
}

void CodeReader::note_function(std::int64_t at)
{
	if (at < 0 || at >= static_cast<std::int64_t>(code_.size()) || begins_[at] || seen_[at] != unseen)
		return;
	begins_[at] = true;
	functions_.push_back(static_cast<std::size_t>(at));
}

// Where a computed jump leads, or a function that nobody calls directly begins.
std::vector<X86Frame> CodeReader::candidates_at(std::size_t at) const
{
	std::vector<X86Frame> candidates;
	if (at < function_end_ || !function_end_)
		candidates = function_jumps_;
	if (at >= function_end_ && !((address_ + at) % alignment))
		note_jump(candidates, X86Frame(arch_));
	return candidates;
}

// A function's first instruction, or one that may be: only one frame may make sense there.
void CodeReader::begin_at(std::size_t at)
{
	std::vector<X86Frame> candidates, sensible;
	if (begins_[at]) {
		function_jumps_.clear();
		candidates.emplace_back(arch_);
	} else {
		candidates = candidates_at(at);
	}
	for (const X86Frame& frame : candidates) {
		if (candidates.size() <= max_candidates && follow_from(at, frame))
			sensible.push_back(frame);
		forget();
	}
	if (sensible.size() == 1) {
		follow_from(at, sensible[0]);
		if (!begins_[at] && at >= function_end_ && sensible[0] == X86Frame(arch_)) {
			function_jumps_.clear();
			begins_[at] = true;
		}
		settle();
	} else {
		seen_[at] = disputed;
	}
	if (begins_[at])
		jumps_of_[at] = function_jumps_;
}

// What calls lead to, too, and what those functions call.
void CodeReader::read_functions()
{
	while (!functions_.empty()) {
		const std::size_t at = functions_.back();
		functions_.pop_back();
		if (seen_[at] == unseen)
			begin_at(at);
	}
}

// What is left: functions that nobody calls directly, and where computed jumps lead. It
// lies right behind what was read, or is aligned; data does not matter then.
void CodeReader::read_rest()
{
	bool behind_code = true;
	for (std::size_t at = 0; at < code_.size();) {
		if (begins_[at]) {
			const auto end = ends_.find(at);
			function_jumps_ = jumps_of_[at];
			function_end_ = end == ends_.end() ? 0 : end->second;
		}
		const X86Instruction instruction = decode(at);
		const bool padding = instruction.bytes && is_padding(instruction, code_.subspan(at));
		if (seen_[at] == unseen && !padding && (behind_code || !((address_ + at) % alignment))) {
			begin_at(at);
			read_functions();
		}
		behind_code = seen_[at] == settled || (behind_code && padding);
		at += behind_code ? std::max(instruction.bytes, 1u) : 1;
	}
}

void CodeReader::run(const std::vector<CodeFunction>& functions)
{
	const auto before = [](const CodeFunction& function, std::uint64_t at) { return function.start < at; };
	auto function = std::lower_bound(functions.begin(), functions.end(), address_, before);
	for (; function != functions.end() && function->start - address_ < code_.size(); ++function) {
		const std::uint64_t at = function->start - address_;
		note_function(static_cast<std::int64_t>(at));
		if (function->bytes)
			ends_[at] = at + function->bytes;
	}
	read_functions();
	read_rest();
}

void CodeReader::collect(std::uint32_t offset, std::vector<Stretch>& stretches) const
{
	for (std::size_t at = 0; at < code_.size();) {
		const unsigned bytes = std::max(decode(at).bytes, 1u);
		const Rule rule = seen_[at] == settled ? frames_[at].rule() : Rule{};
		const std::uint32_t start = offset + static_cast<std::uint32_t>(at);
		at += bytes;
		if (rule.kind == UW_RULE_NONE)
			continue;
		const bool joins = !stretches.empty() && stretches.back().end == start && stretches.back().rule == rule;
		if (joins)
			stretches.back().end = start + bytes;
		else
			stretches.push_back({start, start + bytes, rule});
	}
}

} // namespace

void find_calls_x86(Bytes code, std::uint64_t address, Arch arch, std::vector<CodeFunction>& functions)
{
	for (std::size_t at = 0; at < code.size();) {
		const X86Instruction instruction = decode_x86(code.subspan(at), arch == Arch::x86_64);
		const Where where = flow_of(instruction, at);
		at += std::max(instruction.bytes, 1u);
		if (where.flow == Flow::call && instruction.bytes)
			functions.push_back({address + static_cast<std::uint64_t>(where.target), 0});
	}
}

bool pushes_x86(Bytes code, Arch arch)
{
	for (std::size_t at = 0; at < code.size();) {
		const X86Instruction instruction = decode_x86(code.subspan(at), arch == Arch::x86_64);
		const bool one = instruction.map == OpcodeMap::one && !instruction.vector;
		if (one && instruction.bytes && instruction.opcode >= 0x50 && instruction.opcode <= 0x57)
			return true;
		at += std::max(instruction.bytes, 1u);
	}
	return false;
}

bool changes_fp_x86(Bytes code, Arch arch)
{
	constexpr std::uint8_t fp = 5; // in instructions
	for (std::size_t at = 0; at < code.size();) {
		const X86Instruction instruction = decode_x86(code.subspan(at), arch == Arch::x86_64);
		const bool to_reg = (instruction.is(0x8d) || instruction.is(0x8b)) && instruction.reg == fp;
		const bool to_rm = instruction.is(0x89) && instruction.on_register() && instruction.rm == fp;
		if (instruction.bytes && (to_reg || to_rm || instruction.is(0x58 + fp) || instruction.is(0xc9)))
			return true;
		at += std::max(instruction.bytes, 1u);
	}
	return false;
}

void read_code_x86(Bytes code, std::uint64_t address, std::uint32_t offset, Arch arch,
		   const std::vector<CodeFunction>& functions, std::vector<Stretch>& stretches)
{
	if (code.size() > max_read_x86_bytes)
		return;
	CodeReader reader(code, address, arch);
	reader.run(functions);
	reader.collect(offset, stretches);
}

} // namespace uwind
