// SPDX-License-Identifier: GPL-2.0
// Follows every path from where functions begin, one beginning after the other:
// symbols and what is called first, then what they do not reach. Nothing is kept of a
// beginning one of whose paths returns where no return address can be. After the functions
// whose ends are known, an aligned place from which a path returns well, or jumps to where a
// function begins, is a beginning, too: the middle of a function would take more from the
// stack than it put there.
#include "tables/code/x86/code.h"

#include "tables/code/extents.h"
#include "tables/code/x86/paths.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <map>

namespace uwind {
namespace {

constexpr std::uint64_t alignment = 16; // of functions

class CodeReader {
public:
	CodeReader(Bytes code, std::uint64_t address, const CodeHints& hints)
	    : text_(code, address, hints.arch), extents_(extents_of(hints.functions, address, code.size(), 1)),
	      proof_(text_), paths_(text_, proof_, hints.no_return)
	{
	}

	void run();
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	// Of the function that was entered last.
	struct Function {
		std::vector<X86Frame> jumps; // frames at its computed jumps, in all that was read of it
		std::size_t end = 0;         // 0: not known
	};

	void note_function(std::int64_t at);
	void read_functions();
	void enter_function(std::size_t at);
	void read_rest();
	std::size_t after(std::size_t at, bool linear) const;
	bool is_aligned(std::size_t at) const { return !(text_.address_of(at) % alignment); }
	std::vector<X86Frame> candidates_at(std::size_t at) const;
	void begin_at(std::size_t at);
	void begin_with(std::size_t at, const X86Frame& frame);

	const X86Text text_;
	const FunctionExtents extents_;
	X86Proof proof_;
	X86Paths paths_;
	std::vector<std::size_t> functions_;                    // to be read
	std::map<std::size_t, std::vector<X86Frame>> jumps_of_; // by beginning
	Function function_;
	bool may_begin_ = true; // a function, as far as the instructions before can tell
};

// A function that begins in code which was taken for the middle of another one has not that one's frame: what was
// before did not fall through.
void CodeReader::note_function(std::int64_t at)
{
	if (!text_.has(at) || paths_.begins(at))
		return;
	X86Frame both(text_.arch());
	if (proof_.is_settled(at) && (!both.join(proof_.frame(at)) || !(both == proof_.frame(at))))
		paths_.dispute_from(static_cast<std::size_t>(at));
	if (!proof_.is_unseen(at))
		return;
	paths_.set_begin(at);
	functions_.push_back(static_cast<std::size_t>(at));
}

// Where a computed jump leads, or a function without a direct call begins.
std::vector<X86Frame> CodeReader::candidates_at(std::size_t at) const
{
	std::vector<X86Frame> candidates;
	if (at < function_.end || !function_.end)
		candidates = function_.jumps;
	if (at >= function_.end && may_begin_ && !extents_.closed[at] && is_aligned(at))
		add_frame(candidates, X86Frame(text_.arch()));
	return candidates;
}

void CodeReader::begin_with(std::size_t at, const X86Frame& frame)
{
	paths_.follow(at, frame);
	if (!paths_.begins(at) && at >= function_.end && frame == X86Frame(text_.arch())) {
		function_.jumps.clear();
		paths_.set_begin(at);
	}
	paths_.settle();
	for (const X86Frame& jump : paths_.findings().jumps)
		add_frame(function_.jumps, jump);
	for (const auto& [from, to] : paths_.findings().calls)
		if (proof_.is_settled(from))
			note_function(to);
}

// A function's first instruction, or one that may be: only one frame may make sense there.
void CodeReader::begin_at(std::size_t at)
{
	std::vector<X86Frame> candidates, sensible;
	if (paths_.begins(at)) {
		function_.jumps.clear();
		candidates.emplace_back(text_.arch());
	} else {
		candidates = candidates_at(at);
	}
	for (const X86Frame& frame : candidates) {
		if (candidates.size() <= max_x86_candidates && paths_.follow(at, frame))
			sensible.push_back(frame);
		proof_.forget();
	}
	if (sensible.size() == 1)
		begin_with(at, sensible[0]);
	else
		proof_.dispute(at);
	if (paths_.begins(at))
		jumps_of_[at] = function_.jumps;
}

// What calls lead to, too, and what those functions call.
void CodeReader::read_functions()
{
	while (!functions_.empty()) {
		const std::size_t at = functions_.back();
		functions_.pop_back();
		if (proof_.is_unseen(at))
			begin_at(at);
	}
}

// The next place to look at. What is read already is not passed over.
std::size_t CodeReader::after(std::size_t at, bool linear) const
{
	const std::size_t end = std::min(at + (linear ? std::max(text_.decode(at).bytes, 1u) : 1), text_.places());
	std::size_t next = at + 1;
	while (next < end && (proof_.is_settled(at) || (proof_.is_unseen(next) && !paths_.begins(next))))
		next++;
	return next;
}

void CodeReader::enter_function(std::size_t at)
{
	const auto end = extents_.end_of.find(at);
	function_ = {jumps_of_[at], end == extents_.end_of.end() ? 0 : end->second};
}

// What is left: functions without a direct call, and where computed jumps lead. It
// lies right after what was read, or is aligned; data does not matter then. In functions that
// are not understood, too, no other begins before the code comes to an end.
void CodeReader::read_rest()
{
	bool after_code = true, withdrawn = false;
	for (std::size_t at = 0; at < text_.places();) {
		if (paths_.begins(at)) {
			enter_function(at);
			withdrawn = proof_.is_disputed(at);
		}
		const X86Ways ways = paths_.ways(at);
		const bool padding = text_.is_padding(at);
		if (proof_.is_unseen(at) && !padding && (after_code || is_aligned(at))) {
			begin_at(at);
			read_functions();
		}
		after_code = proof_.is_settled(at) || (after_code && padding);
		withdrawn = withdrawn && ways.understood;
		const bool linear = after_code || withdrawn || extents_.closed[at];
		if (!padding)
			may_begin_ = !linear || ways.next == X86Ways::nowhere;
		at = after(at, linear);
	}
}

void CodeReader::run()
{
	for (const std::size_t at : extents_.begins)
		note_function(static_cast<std::int64_t>(at));
	read_functions();
	read_rest();
}

void CodeReader::collect(std::uint32_t offset, std::vector<Stretch>& stretches) const
{
	for (std::size_t at = 0; at < text_.places();) {
		const unsigned bytes = std::max(text_.decode(at).bytes, 1u);
		const Rule rule = proof_.is_settled(at) ? proof_.frame(at).rule() : Rule{};
		const std::uint32_t start = offset + static_cast<std::uint32_t>(at);
		at += bytes;
		if (rule.kind != UW_RULE_NONE)
			append_stretch(stretches, {start, start + bytes, rule});
	}
}

// As most gaps are: what lies between two functions.
bool is_padding_only(Bytes code, Arch arch, X86Padding& padding)
{
	if (padding.has(code))
		return true;
	for (std::size_t at = 0; at < code.size();) {
		const X86Instruction instruction = decode_x86(code.subspan(at), arch == Arch::x86_64);
		if (!is_padding_x86(instruction, code.subspan(at)))
			return false;
		at += std::max(instruction.bytes, 1u);
	}
	padding.add(code);
	return true;
}

bool function_in(std::uint64_t address, std::uint64_t bytes, const std::vector<CodeFunction>& functions)
{
	const auto before = [](const CodeFunction& function, std::uint64_t at) { return function.start < at; };
	const auto next = std::lower_bound(functions.begin(), functions.end(), address, before);
	return next != functions.end() && next->start - address < bytes;
}

} // namespace

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
	for (std::size_t at = 0; at < code.size();) {
		const X86Instruction instruction = decode_x86(code.subspan(at), arch == Arch::x86_64);
		const bool to_reg = (instruction.is(0x8d) || instruction.is(0x8b)) && instruction.reg == x86_bp;
		const bool to_rm = instruction.is(0x89) && instruction.on_register() && instruction.rm == x86_bp;
		if (instruction.bytes && (to_reg || to_rm || instruction.is(0x58 + x86_bp) || instruction.is(0xc9)))
			return true;
		at += std::max(instruction.bytes, 1u);
	}
	return false;
}

void read_code_x86(Bytes code, std::uint64_t address, std::uint32_t offset, const CodeHints& hints, X86Padding& padding,
		   std::vector<Stretch>& stretches)
{
	if (code.size() > max_read_x86_bytes ||
	    (is_padding_only(code, hints.arch, padding) && !function_in(address, code.size(), hints.functions)))
		return;
	CodeReader reader(code, address, hints);
	reader.run();
	reader.collect(offset, stretches);
}

} // namespace uwind
