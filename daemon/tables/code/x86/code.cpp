// SPDX-License-Identifier: GPL-2.0
// Follows every path from where functions begin, one beginning after the other:
// symbols and what is called first, then what they do not reach. A beginning one of
// whose paths returns where no return address can be takes back all that it told. Behind
// the functions whose ends are known, an aligned place from which a path returns well is
// a beginning, too: the middle of a function would take more from the stack than it put there.
#include "tables/code/x86/code.h"

#include "tables/code/sense.h"
#include "tables/code/x86/effect.h"
#include "tables/code/x86/flow.h"

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
constexpr std::int64_t outside = PathsOn::nowhere;

// One way to an instruction, or two.
struct Ways {
	X86Way way = X86Way::next;
	bool understood = false;
	bool ends = false;                             // the path leaves or stops: it makes sense up to here
	std::int64_t target = outside, next = outside; // where it goes on in the same function
};

class CodeReader {
public:
	CodeReader(Bytes code, std::uint64_t address, const CodeHints& hints)
	    : code_(code), address_(address), arch_(hints.arch), hints_(hints), seen_(code.size()),
	      frames_(code.size(), X86Frame(hints.arch)), begins_(code.size()), closed_(code.size()),
	      steps_left_(code.size() * max_steps_per_byte)
	{
	}

	void run();
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	// body: behind the first byte of an instruction that is settled.
	enum Seen : std::uint8_t { unseen, settled, disputed, tried, body };
	struct Change {
		std::size_t at;
		std::uint8_t seen;
		X86Frame frame;
	};

	X86Instruction decode(std::size_t at) const;
	bool is_inside(std::int64_t at) const { return at >= 0 && at < static_cast<std::int64_t>(code_.size()); }
	bool is_new(std::size_t at) const { return seen_[at] == unseen || seen_[at] == body; }
	bool is_padding_at(std::size_t at) const;
	bool never_returns(std::int64_t at) const;
	void close(std::uint64_t start, std::uint64_t end);
	void dispute_from(std::size_t at);
	void note_function(std::int64_t at);
	void read_functions();
	std::size_t behind(std::size_t at, bool linear) const;
	void read_rest();
	std::vector<X86Frame> candidates_at(std::size_t at) const;
	void begin_at(std::size_t at);
	bool follow_from(std::size_t at, const X86Frame& frame);
	std::vector<std::size_t> tried_places() const;
	PathsOn paths_on(std::size_t at) const;
	void settle();
	void forget();
	Ways ways(std::size_t at) const;
	void step(std::size_t at);
	void arrive(std::int64_t at, const X86Frame& frame);
	static void note_jump(std::vector<X86Frame>& jumps, const X86Frame& frame);

	const Bytes code_;
	const std::uint64_t address_;
	const Arch arch_;
	const CodeHints& hints_;
	std::vector<std::uint8_t> seen_;     // of an instruction's first byte
	std::vector<X86Frame> frames_;       // before it
	std::vector<bool> begins_;           // a function does
	std::vector<bool> closed_;           // inside of a function whose end is known: no other begins there uncalled
	std::uint64_t closed_until_ = 0;     // up to there this is filled in
	std::vector<std::size_t> functions_; // to be read
	std::size_t steps_left_;
	// Of what is being tried.
	std::vector<std::size_t> pending_;
	std::vector<Change> trail_;
	std::vector<std::pair<std::size_t, std::int64_t>> calls_; // from, to
	bool orphan_ = false;                                     // maybe a function that nobody calls directly
	bool wrong_ = false;
	bool returned_ = false;       // well
	bool proven_ = false;         // so it did, or jumped to a function, or met what is settled
	std::vector<X86Frame> jumps_; // frames at its computed jumps
	// The same, of all that was read since the function began.
	std::map<std::size_t, std::vector<X86Frame>> jumps_of_; // by beginning
	std::map<std::size_t, std::size_t> ends_;
	std::vector<X86Frame> function_jumps_;
	std::size_t function_end_ = 0; // 0: not known
	bool may_begin_ = true;        // as far as the instructions before can tell
};

bool CodeReader::is_padding_at(std::size_t at) const
{
	return at >= code_.size() || is_padding_x86(decode(at), code_.subspan(at));
}

X86Instruction CodeReader::decode(std::size_t at) const
{
	return decode_x86(code_.subspan(at), arch_ == Arch::x86_64);
}

bool CodeReader::never_returns(std::int64_t at) const
{
	return std::binary_search(hints_.no_return.begin(), hints_.no_return.end(),
				  address_ + static_cast<std::uint64_t>(at));
}

// A function that is known ends where the next one begins, and a stretch where code has rows
// already: a jump leads there, or a call was the last one. Written by hand, a function may as
// well run into the next one.
Ways CodeReader::ways(std::size_t at) const
{
	const X86Instruction instruction = decode(at);
	Ways result;
	if (!instruction.bytes || is_blank_x86(code_.subspan(at)))
		return result;
	const X86Flow flow = flow_x86(instruction, at);
	const auto next = static_cast<std::int64_t>(at + instruction.bytes);
	const bool falls = flow.way == X86Way::next || flow.way == X86Way::branch || flow.way == X86Way::call;
	const bool jumps = flow.way == X86Way::jump || flow.way == X86Way::branch;
	const auto elsewhere = [&](std::int64_t to) { return !is_inside(to) || begins_[to]; };
	result.way = flow.way;
	result.understood = true;
	// Padding: another function is behind it.
	const bool last_call =
		flow.way == X86Way::call && (elsewhere(next) || is_padding_at(next) || never_returns(flow.target));
	const bool runs_on = falls && is_inside(next) && begins_[next] && !is_padding_at(at);
	result.ends = last_call || runs_on || !(falls || jumps) || (jumps && elsewhere(flow.target));
	if (flow.way == X86Way::call || (jumps && !elsewhere(flow.target)))
		result.target = flow.target;
	if (falls && !last_call && !elsewhere(next))
		result.next = next;
	return result;
}

// A path comes to an instruction.
void CodeReader::arrive(std::int64_t at, const X86Frame& frame)
{
	if (!is_inside(at) || seen_[at] == disputed)
		return;
	X86Frame both = frame;
	const bool first = is_new(at);
	if (!first && !both.join(frames_[at])) {
		wrong_ = true;
		return;
	}
	proven_ |= seen_[at] == settled;
	if (!first && both == frames_[at])
		return;
	trail_.push_back({static_cast<std::size_t>(at), seen_[at], frames_[at]});
	if (first)
		seen_[at] = tried;
	frames_[at] = both;
	pending_.push_back(static_cast<std::size_t>(at));
}

// One more than can be candidates says that there are too many.
void CodeReader::note_jump(std::vector<X86Frame>& jumps, const X86Frame& frame)
{
	for (X86Frame& known : jumps) {
		X86Frame both = known;
		if (both.join(frame)) {
			known = both;
			return;
		}
	}
	if (jumps.size() <= max_candidates)
		jumps.push_back(frame);
}

void CodeReader::step(std::size_t at)
{
	const Ways ways = this->ways(at);
	X86Frame frame = frames_[at];
	wrong_ |= frame.is_impossible();
	if (!ways.understood)
		return;
	switch (ways.way) {
	case X86Way::call:
		if (ways.target == ways.next) {
			execute_call_of_next(frame);
		} else {
			wrong_ |= orphan_ && !frame.calls_aligned();
			calls_.emplace_back(at, ways.target);
		}
		return arrive(ways.next, frame);
	case X86Way::jump:
		proven_ |= ways.ends && !frame.returns_wrongly();
		return arrive(ways.target, frame);
	case X86Way::computed_jump:
		return note_jump(jumps_, frame);
	case X86Way::leave:
		wrong_ |= frame.returns_wrongly();
		proven_ = returned_ = true;
		return;
	case X86Way::stop:
		return;
	case X86Way::branch:
		arrive(ways.target, frame);
		break;
	case X86Way::next:
		execute(decode(at), frame);
		break;
	}
	arrive(ways.next, frame);
}

// Whether code that begins at a place with such a frame makes sense. What may be the
// middle of a function must prove it.
bool CodeReader::follow_from(std::size_t at, const X86Frame& frame)
{
	wrong_ = proven_ = returned_ = false;
	orphan_ = !begins_[at] && frame == X86Frame(arch_);
	jumps_.clear();
	calls_.clear();
	trail_.clear();
	pending_.clear();
	arrive(static_cast<std::int64_t>(at), frame);
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
	for (auto change = trail_.rbegin(); change != trail_.rend(); ++change) {
		seen_[change->at] = change->seen;
		frames_[change->at] = change->frame;
	}
}

// Each once, rising.
std::vector<std::size_t> CodeReader::tried_places() const
{
	std::vector<std::size_t> places;
	for (const Change& change : trail_)
		if (change.seen == unseen || change.seen == body)
			places.push_back(change.at);
	std::sort(places.begin(), places.end());
	return places;
}

PathsOn CodeReader::paths_on(std::size_t at) const
{
	const Ways ways = this->ways(at);
	PathsOn on{ways.ends, {ways.way == X86Way::call ? outside : ways.target, ways.next}};
	for (std::int64_t& to : on.to)
		if (is_inside(to) && seen_[to] == disputed)
			to = outside;
	return on;
}

void CodeReader::settle()
{
	const std::vector<std::size_t> places = tried_places();
	for (const std::size_t at : places)
		seen_[at] = settled;
	for (const std::size_t at : senseless_places(places, [this](std::size_t at) { return paths_on(at); }))
		seen_[at] = disputed;
	for (const std::size_t at : places) {
		const std::size_t end = seen_[at] == settled ? at + decode(at).bytes : at;
		for (std::size_t inside = at + 1; inside < end && seen_[inside] == unseen; inside++)
			seen_[inside] = body;
	}
	for (const X86Frame& frame : jumps_)
		note_jump(function_jumps_, frame);
	for (const auto& [from, to] : calls_)
		if (seen_[from] == settled)
			note_function(to);
}

// A function begins in code that was taken for the middle of another one, with its frame: what was before did not fall
// through. From there on nothing is certain.
void CodeReader::dispute_from(std::size_t at)
{
	std::vector<std::size_t> places = {at};
	seen_[at] = disputed;
	for (std::size_t i = 0; i < places.size(); i++) {
		const Ways on = ways(places[i]);
		for (const std::int64_t to : {on.way == X86Way::call ? outside : on.target, on.next})
			if (is_inside(to) && seen_[to] == settled) {
				seen_[to] = disputed;
				places.push_back(static_cast<std::size_t>(to));
			}
	}
}

void CodeReader::note_function(std::int64_t at)
{
	if (!is_inside(at) || begins_[at])
		return;
	X86Frame both(arch_);
	if (seen_[at] == settled && (!both.join(frames_[at]) || !(both == frames_[at])))
		dispute_from(static_cast<std::size_t>(at));
	if (seen_[at] != unseen)
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
	if (at >= function_end_ && may_begin_ && !closed_[at] && !((address_ + at) % alignment))
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
// The next place to look at. What is read already is not passed over.
std::size_t CodeReader::behind(std::size_t at, bool linear) const
{
	const std::size_t end = std::min(at + (linear ? std::max(decode(at).bytes, 1u) : 1), code_.size());
	std::size_t next = at + 1;
	while (next < end && (seen_[at] == settled || (seen_[next] == unseen && !begins_[next])))
		next++;
	return next;
}

// What is left: functions that nobody calls directly, and where computed jumps lead. It
// lies right behind what was read, or is aligned; data does not matter then. In functions that
// are not understood, too, no other begins before the code comes to an end.
void CodeReader::read_rest()
{
	bool behind_code = true, withdrawn = false;
	for (std::size_t at = 0; at < code_.size();) {
		if (begins_[at]) {
			const auto end = ends_.find(at);
			function_jumps_ = jumps_of_[at];
			function_end_ = end == ends_.end() ? 0 : end->second;
			withdrawn = seen_[at] == disputed;
		}
		const Ways ways = this->ways(at);
		const bool padding = is_padding_at(at);
		if (seen_[at] == unseen && !padding && (behind_code || !((address_ + at) % alignment))) {
			begin_at(at);
			read_functions();
		}
		behind_code = seen_[at] == settled || (behind_code && padding);
		withdrawn = withdrawn && ways.understood;
		const bool linear = behind_code || withdrawn || closed_[at];
		if (!padding)
			may_begin_ = !linear || ways.next == outside;
		at = behind(at, linear);
	}
}

// Inside of a function no other begins. Ranges come in rising order.
void CodeReader::close(std::uint64_t start, std::uint64_t end)
{
	end = std::min<std::uint64_t>(end, code_.size());
	for (std::uint64_t at = std::max(start, closed_until_); at < end; at++)
		closed_[at] = true;
	closed_until_ = std::max(closed_until_, end);
}

void CodeReader::run()
{
	const std::vector<CodeFunction>& functions = hints_.functions;
	const auto before = [](const CodeFunction& function, std::uint64_t at) { return function.start < at; };
	auto function = std::lower_bound(functions.begin(), functions.end(), address_, before);
	if (function != functions.begin() && function[-1].reach > address_)
		close(0, function[-1].reach - address_);
	for (; function != functions.end() && function->start - address_ < code_.size(); ++function) {
		const std::size_t at = function->start - address_;
		const std::size_t end = at + std::min<std::uint64_t>(function->bytes, code_.size() - at);
		if (function->begins && (function->certain || !closed_[at]))
			note_function(static_cast<std::int64_t>(at));
		if (function->begins && function->bytes)
			ends_[at] = std::max(ends_[at], end);
		close(at + function->begins, end);
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

void read_code_x86(Bytes code, std::uint64_t address, std::uint32_t offset, const CodeHints& hints,
		   std::vector<Stretch>& stretches)
{
	if (code.size() > max_read_x86_bytes)
		return;
	CodeReader reader(code, address, hints);
	reader.run();
	reader.collect(offset, stretches);
}

} // namespace uwind
