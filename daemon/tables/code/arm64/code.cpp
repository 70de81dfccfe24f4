// SPDX-License-Identifier: GPL-2.0
// Follows every path through a stretch of code from where its functions begin, one beginning after the other.
// Beginnings that are known (symbols, calls) come first; nothing is kept of one whose paths disagree, or which returns
// with a frame. What they do not reach begins another function, but not inside of one whose end is known,
// or is where a computed jump leads, with the frame of the jump: it has to make sense with one of these frames only,
// and does not change what is known.
#include "tables/code/arm64/code.h"

#include "tables/code/arm64/paths.h"
#include "tables/code/extents.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

constexpr std::size_t max_candidates = 8;
constexpr unsigned ip0 = 16, ip1 = 17; // the registers that veneers and PLTs jump through

// Its targets may be blocks of the same function.
bool is_computed_jump(std::uint32_t word)
{
	const Arm64Flow flow = flow_arm64(word);
	return flow.way == Arm64Way::computed_jump && flow.through != ip0 && flow.through != ip1;
}

// One stretch without rows.
class CodeReader {
public:
	CodeReader(const Arm64Text& text, std::uint64_t address, const CodeHints& hints)
	    : text_(text), extents_(extents_of(hints.functions, address, text.places(), 4)), proof_(text),
	      paths_(text, proof_, extents_.ends, hints.no_return)
	{
	}

	void run();
	// Rows of the stretch, whose first byte has this file offset.
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	// The function that was entered last.
	struct Function {
		bool switches = false;         // it jumps as switches do
		std::vector<Arm64Frame> jumps; // and with these frames
		std::size_t end = 0;           // 0: not known
	};

	void note_function(std::int64_t at);
	void note_called();
	void read_functions();
	void read_rest();
	void enter_function(std::size_t at);
	void note_jump(std::size_t at);
	std::vector<Arm64Frame> candidates(std::size_t at) const;
	bool makes_sense(std::size_t at, const Arm64Frame& frame);
	void settle(bool sensible);
	void begin_unknown(std::size_t at);

	const Arm64Text& text_;
	const FunctionExtents extents_;
	Arm64Proof proof_;
	Arm64Paths paths_;
	std::vector<std::size_t> functions_; // that are known
	Function function_;
};

void CodeReader::note_function(std::int64_t at)
{
	if (!text_.has(at) || paths_.begins(at))
		return;
	paths_.set_begin(at);
	functions_.push_back(static_cast<std::size_t>(at));
}

void CodeReader::note_called()
{
	for (std::size_t at = 0; at < text_.places(); at++) {
		const Arm64Flow flow = flow_arm64(text_.word(at));
		if (flow.way == Arm64Way::call && flow.has_target)
			note_function(static_cast<std::int64_t>(at) + flow.distance / 4);
	}
}

// Every frame once.
void CodeReader::note_jump(std::size_t at)
{
	if (proof_.is_disputed(at) || function_.jumps.size() > max_candidates || !is_computed_jump(text_.word(at)))
		return;
	for (Arm64Frame& known : function_.jumps)
		if (known.join(proof_.frame(at)))
			return;
	function_.jumps.push_back(proof_.frame(at));
}

// A function that is known ends where the next one begins.
void CodeReader::enter_function(std::size_t at)
{
	const auto end = extents_.end_of.find(at);
	function_ = {false, {}, end == extents_.end_of.end() ? 0 : end->second};
	do {
		function_.switches |= is_computed_jump(text_.word(at));
		if (!proof_.is_unseen(at))
			note_jump(at);
	} while (++at < text_.places() && !paths_.begins(at));
}

// Of what nothing known leads to.
std::vector<Arm64Frame> CodeReader::candidates(std::size_t at) const
{
	std::vector<Arm64Frame> candidates;
	if (!extents_.closed[at])
		candidates.emplace_back();
	if (at >= function_.end && function_.end)
		return candidates;
	for (const Arm64Frame& frame : function_.jumps)
		if (extents_.closed[at] || !frame.is_bare())
			candidates.push_back(frame);
	return candidates;
}

// Whether code that begins at a place with such a frame makes sense. A part of a function
// that only a jump from elsewhere reaches is recognised by its use of a frame
// that it has not made; where there are such jumps for sure, the frame must be proven.
bool CodeReader::makes_sense(std::size_t at, const Arm64Frame& frame)
{
	paths_.follow(at, frame);
	const Arm64Verdict& verdict = proof_.verdict();
	const bool only_begins = !function_.switches && function_.jumps.empty();
	return !verdict.wrong && !(frame.is_bare() && verdict.reached_out) && (only_begins || verdict.proven);
}

void CodeReader::settle(bool sensible)
{
	if (!sensible)
		return proof_.settle_as_disputed();
	proof_.settle();
	for (const std::size_t at : proof_.tried())
		note_jump(at);
}

void CodeReader::begin_unknown(std::size_t at)
{
	const std::vector<Arm64Frame> frames = candidates(at);
	std::size_t sensible = 0, last = 0;
	for (std::size_t i = 0; i < frames.size() && frames.size() <= max_candidates; i++) {
		if (makes_sense(at, frames[i])) {
			sensible++;
			last = i;
		}
		proof_.forget();
	}
	paths_.follow(at, frames.empty() ? Arm64Frame::unknown() : frames[last]);
	settle(sensible == 1);
}

void CodeReader::read_functions()
{
	for (const std::size_t at : functions_) {
		paths_.follow(at, Arm64Frame());
		settle(!proof_.verdict().wrong);
	}
}

void CodeReader::read_rest()
{
	for (std::size_t at = 0; at < text_.places(); at++) {
		function_.switches |= is_computed_jump(text_.word(at));
		if (paths_.begins(at))
			enter_function(at);
		if (proof_.is_unseen(at) && !text_.is_padding(at))
			begin_unknown(at);
	}
}

void CodeReader::run()
{
	for (const std::size_t at : extents_.begins)
		note_function(static_cast<std::int64_t>(at));
	note_called();
	read_functions();
	function_.jumps.clear();
	read_rest();
	paths_.dispute_dead_ends();
}

void CodeReader::collect(std::uint32_t offset, std::vector<Stretch>& stretches) const
{
	for (std::size_t at = 0; at < text_.places(); at++, offset += 4) {
		const Rule rule = proof_.is_reached(at) ? proof_.frame(at).rule() : Rule{};
		if (rule.kind != UW_RULE_NONE)
			append_stretch(stretches, {offset, offset + 4, rule});
	}
}

} // namespace

void read_code_arm64(Bytes code, std::uint64_t address, std::uint32_t offset, const CodeHints& hints,
		     std::vector<Stretch>& stretches)
{
	if (code.size() > max_read_arm64_bytes || address % 4)
		return;
	const Arm64Text text(code, address);
	if (text.is_all_padding())
		return;
	CodeReader reader(text, address, hints);
	reader.run();
	reader.collect(offset, stretches);
}

} // namespace uwind
