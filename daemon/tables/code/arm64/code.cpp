// SPDX-License-Identifier: GPL-2.0
// Follows every path through a stretch of code from where its functions begin, one beginning after the other.
// Beginnings that are known (symbols, calls) come first; one of whose paths disagree, or return with a frame, takes
// back all that it told. What they do not reach begins another function, but not inside of one whose end is known,
// or is where a computed jump leads, with the frame of the jump: it has to make sense with one of these frames only,
// and does not change what is known.
#include "tables/code/arm64/code.h"

#include "tables/code/arm64/frame.h"
#include "tables/code/sense.h"
#include "tables/isa/arm64/instruction.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <cstring>
#include <map>

namespace uwind {
namespace {

constexpr std::size_t max_candidates = 8;
constexpr std::size_t max_steps_per_word = 16; // nothing is read any more behind these
constexpr unsigned ip0 = 16, ip1 = 17;         // the registers that veneers and PLTs jump through

// Its targets may be blocks of the same function.
bool is_computed_jump(std::uint32_t word)
{
	const Arm64Flow flow = flow_arm64(word);
	return flow.way == Arm64Way::computed_jump && flow.through != ip0 && flow.through != ip1;
}

bool falls_through(Arm64Way way)
{
	return way == Arm64Way::next || way == Arm64Way::branch || way == Arm64Way::call;
}

bool is_padding(std::uint32_t word)
{
	return word == arm64_nop || word == 0;
}

std::vector<std::uint32_t> words_of(Bytes code)
{
	std::vector<std::uint32_t> words(code.size() / 4);
	if (!words.empty())
		std::memcpy(words.data(), code.data(), words.size() * 4);
	return words;
}

// One stretch without rows.
class CodeReader {
public:
	CodeReader(std::uint64_t address, std::vector<std::uint32_t> words, const CodeHints& hints)
	    : address_(address), words_(std::move(words)), hints_(hints), seen_(words_.size()), frames_(words_.size()),
	      begins_(words_.size()), closed_(words_.size()), ends_(words_.size() + 1), settled_(words_.size()),
	      steps_left_(words_.size() * max_steps_per_word)
	{
	}

	void run();
	// Rows of the stretch, whose first byte has this file offset.
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	enum Seen : std::uint8_t { unseen, reached, disputed };
	struct Change {
		std::size_t at;
		std::uint8_t seen;
		Arm64Frame frame;
	};

	bool is_inside(std::int64_t at) const { return at >= 0 && at < static_cast<std::int64_t>(words_.size()); }
	void close(std::uint64_t start, std::uint64_t end);
	void note_function(std::int64_t at);
	void note_known();
	void note_called();
	void read_functions();
	void read_rest();
	void follow();
	void arrive(std::int64_t at, const Arm64Frame& frame);
	void reach(std::size_t at, const Arm64Frame& frame);
	bool begins_frame(std::size_t at) const;
	bool is_last_call(std::size_t at) const;
	void note_return(const Arm64Frame& frame);
	void enter_function(std::size_t at);
	void note_jump(std::size_t at);
	std::vector<Arm64Frame> candidates(std::size_t at) const;
	void start_from(std::size_t at, const Arm64Frame& frame);
	bool follow_from(std::size_t at, const Arm64Frame& frame);
	void forget();
	void settle(bool sensible);
	void begin_unknown(std::size_t at);
	PathsOn paths_on(std::size_t at) const;
	void drop_senseless();

	const std::uint64_t address_;
	const std::vector<std::uint32_t> words_;
	const CodeHints& hints_;
	std::vector<std::uint8_t> seen_;
	std::vector<Arm64Frame> frames_;            // before each instruction
	std::vector<bool> begins_;                  // a function does
	std::vector<bool> closed_;                  // inside of a function whose end is known
	std::vector<bool> ends_;                    // such a function does, before this
	std::map<std::size_t, std::size_t> end_of_; // by beginning
	std::uint64_t closed_until_ = 0;            // up to there closed_ is filled in
	std::vector<std::size_t> functions_;        // that are known
	std::vector<std::size_t> pending_;
	std::vector<bool> settled_; // by other beginnings
	std::size_t steps_left_;
	// Of what is being tried.
	std::vector<Change> trail_;
	bool wrong_ = false;  // two paths disagree, or it returned with a frame
	bool proven_ = false; // it returned well, or met what is settled
	bool reached_out_ = false;
	// Of the function that was entered last: it jumps as switches do, and with these frames.
	bool switches_ = false;
	std::vector<Arm64Frame> jumps_;
	std::size_t function_end_ = 0; // 0: not known
};

// Inside of a function no other begins. Ranges come in rising order.
void CodeReader::close(std::uint64_t start, std::uint64_t end)
{
	end = std::min<std::uint64_t>(end, words_.size());
	for (std::uint64_t at = std::max(start, closed_until_); at < end; at++)
		closed_[at] = true;
	closed_until_ = std::max(closed_until_, end);
}

void CodeReader::note_function(std::int64_t at)
{
	if (!is_inside(at) || begins_[at])
		return;
	begins_[at] = true;
	functions_.push_back(static_cast<std::size_t>(at));
}

void CodeReader::note_known()
{
	const std::vector<CodeFunction>& functions = hints_.functions;
	const auto before = [](const CodeFunction& function, std::uint64_t at) { return function.start < at; };
	auto function = std::lower_bound(functions.begin(), functions.end(), address_, before);
	if (function != functions.begin() && function[-1].reach > address_)
		close(0, (function[-1].reach - address_) / 4);
	for (; function != functions.end() && function->start < address_ + words_.size() * 4; ++function) {
		const std::size_t at = (function->start - address_) / 4;
		const std::size_t end = at + std::min<std::uint64_t>(function->bytes / 4, words_.size() - at);
		if (function->begins && (function->certain || !closed_[at]))
			note_function(static_cast<std::int64_t>(at));
		if (function->begins && function->bytes) {
			end_of_[at] = std::max(end_of_[at], end);
			ends_[end] = true;
		}
		close(at + function->begins, end);
	}
}

void CodeReader::note_called()
{
	for (std::size_t at = 0; at < words_.size(); at++) {
		const Arm64Flow flow = flow_arm64(words_[at]);
		if (flow.way == Arm64Way::call && flow.has_target)
			note_function(static_cast<std::int64_t>(at) + flow.distance / 4);
	}
}

// A path comes to an instruction.
void CodeReader::arrive(std::int64_t at, const Arm64Frame& frame)
{
	if (!is_inside(at) || begins_[at] || seen_[at] == disputed || frame.is_beginning(words_[at]))
		return;
	Arm64Frame both = frame;
	const bool first = seen_[at] == unseen;
	if (!first && !both.join(frames_[at])) {
		wrong_ = true;
		return;
	}
	proven_ |= settled_[at];
	if (!first && both == frames_[at])
		return;
	reach(static_cast<std::size_t>(at), both);
}

void CodeReader::reach(std::size_t at, const Arm64Frame& frame)
{
	trail_.push_back({at, seen_[at], frames_[at]});
	seen_[at] = reached;
	frames_[at] = frame;
	pending_.push_back(at);
}

// The stack is lowered for a frame: behind a call, this is done by another function, as
// the call does not return.
bool CodeReader::begins_frame(std::size_t at) const
{
	if (at >= words_.size())
		return false;
	const auto shift = shift_arm64(at + 1 < words_.size() ? words_[at + 1] : 0);
	return lowers_sp_arm64(words_[at]) || (part_arm64(words_[at]) && shift && shift->down);
}

// It is known not to return, or it is the last instruction of a function.
bool CodeReader::is_last_call(std::size_t at) const
{
	const Arm64Flow flow = flow_arm64(words_[at]);
	const std::uint64_t target = address_ + at * 4 + static_cast<std::uint64_t>(flow.distance);
	const auto never_returns = [&] {
		return std::binary_search(hints_.no_return.begin(), hints_.no_return.end(), target);
	};
	return flow.way == Arm64Way::call &&
	       (begins_frame(at + 1) || ends_[at + 1] || (flow.has_target && never_returns()));
}

// Where the stack is not known, it says nothing.
void CodeReader::note_return(const Arm64Frame& frame)
{
	proven_ |= frame.is_bare();
	wrong_ |= frame.returns_wrongly();
}

void CodeReader::follow()
{
	for (; !pending_.empty() && steps_left_; steps_left_--) {
		const std::size_t at = pending_.back();
		pending_.pop_back();
		Arm64Frame frame = frames_[at];
		const Arm64Flow flow = flow_arm64(words_[at]);
		if (flow.has_target && flow.way != Arm64Way::call) {
			const std::int64_t target = static_cast<std::int64_t>(at) + flow.distance / 4;
			proven_ |= is_inside(target) && begins_[target] && frame.is_bare();
			arrive(target, frame);
		}
		if (flow.way == Arm64Way::leave)
			note_return(frame);
		frame.execute(words_[at]);
		reached_out_ |= frame.reached_out();
		if (falls_through(flow.way) && !is_last_call(at))
			arrive(static_cast<std::int64_t>(at) + 1, frame);
	}
	wrong_ |= !pending_.empty();
	pending_.clear();
}

// Every frame once.
void CodeReader::note_jump(std::size_t at)
{
	if (seen_[at] == disputed || jumps_.size() > max_candidates || !is_computed_jump(words_[at]))
		return;
	for (Arm64Frame& known : jumps_)
		if (known.join(frames_[at]))
			return;
	jumps_.push_back(frames_[at]);
}

// A function that is known ends where the next one begins.
void CodeReader::enter_function(std::size_t at)
{
	const auto end = end_of_.find(at);
	function_end_ = end == end_of_.end() ? 0 : end->second;
	switches_ = false;
	jumps_.clear();
	do {
		switches_ |= is_computed_jump(words_[at]);
		if (seen_[at] != unseen)
			note_jump(at);
	} while (++at < words_.size() && !begins_[at]);
}

// Of what nothing known leads to.
std::vector<Arm64Frame> CodeReader::candidates(std::size_t at) const
{
	std::vector<Arm64Frame> candidates;
	if (!closed_[at])
		candidates.emplace_back();
	if (at >= function_end_ && function_end_)
		return candidates;
	for (const Arm64Frame& frame : jumps_)
		if (closed_[at] || !frame.is_bare())
			candidates.push_back(frame);
	return candidates;
}

void CodeReader::start_from(std::size_t at, const Arm64Frame& frame)
{
	wrong_ = frame.is_beginning(words_[at]);
	proven_ = reached_out_ = false;
	trail_.clear();
	reach(at, frame);
	follow();
}

// Whether code that begins at a place with such a frame makes sense. A part of a function
// that only a jump from elsewhere reaches gives itself away by what it does to a frame
// that it has not made; where there are such jumps for sure, the frame must be proven.
bool CodeReader::follow_from(std::size_t at, const Arm64Frame& frame)
{
	start_from(at, frame);
	const bool only_begins = !switches_ && jumps_.empty();
	return !wrong_ && !(frame.is_bare() && reached_out_) && (only_begins || proven_);
}

void CodeReader::forget()
{
	for (auto change = trail_.rbegin(); change != trail_.rend(); ++change) {
		seen_[change->at] = change->seen;
		frames_[change->at] = change->frame;
	}
}

void CodeReader::settle(bool sensible)
{
	if (!sensible)
		forget();
	for (const Change& change : trail_) {
		settled_[change.at] = true;
		if (sensible)
			note_jump(change.at);
		else if (change.seen == unseen)
			seen_[change.at] = disputed;
	}
}

void CodeReader::begin_unknown(std::size_t at)
{
	const std::vector<Arm64Frame> frames = candidates(at);
	std::size_t sensible = 0, last = 0;
	for (std::size_t i = 0; i < frames.size() && frames.size() <= max_candidates; i++) {
		if (follow_from(at, frames[i])) {
			sensible++;
			last = i;
		}
		forget();
	}
	start_from(at, frames.empty() ? Arm64Frame::unknown() : frames[last]);
	settle(sensible == 1);
}

void CodeReader::read_functions()
{
	for (const std::size_t at : functions_) {
		start_from(at, Arm64Frame());
		settle(!wrong_);
	}
}

void CodeReader::read_rest()
{
	for (std::size_t at = 0; at < words_.size(); at++) {
		switches_ |= is_computed_jump(words_[at]);
		if (begins_[at])
			enter_function(at);
		if (seen_[at] == unseen && !is_padding(words_[at]))
			begin_unknown(at);
	}
}

void CodeReader::run()
{
	note_known();
	note_called();
	read_functions();
	jumps_.clear();
	read_rest();
	drop_senseless();
}

// A call with another function behind it, or padding, does not return.
PathsOn CodeReader::paths_on(std::size_t at) const
{
	const Arm64Flow flow = flow_arm64(words_[at]);
	PathsOn on;
	if (!is_instruction_arm64(words_[at]))
		return on;
	const auto next = static_cast<std::int64_t>(at) + 1;
	const auto elsewhere = [this](std::int64_t to) { return !is_inside(to) || begins_[to]; };
	const bool last_call =
		is_last_call(at) || (flow.way == Arm64Way::call && (elsewhere(next) || is_padding(words_[next])));
	on.end = last_call || !(falls_through(flow.way) || flow.way == Arm64Way::jump);
	if (flow.has_target && flow.way != Arm64Way::call) {
		const std::int64_t target = static_cast<std::int64_t>(at) + flow.distance / 4;
		on.end |= elsewhere(target);
		on.to[0] = elsewhere(target) ? PathsOn::nowhere : target;
	}
	if (falls_through(flow.way) && !last_call && !elsewhere(next))
		on.to[1] = next;
	return on;
}

void CodeReader::drop_senseless()
{
	std::vector<std::size_t> places;
	for (std::size_t at = 0; at < words_.size(); at++)
		if (seen_[at] != unseen)
			places.push_back(at);
	for (const std::size_t at : senseless_places(places, [this](std::size_t at) { return paths_on(at); }))
		seen_[at] = disputed;
}

void CodeReader::collect(std::uint32_t offset, std::vector<Stretch>& stretches) const
{
	for (std::size_t at = 0; at < words_.size(); at++, offset += 4) {
		const Rule rule = seen_[at] == reached ? frames_[at].rule() : Rule{};
		if (rule.kind == UW_RULE_NONE)
			continue;
		if (!stretches.empty() && stretches.back().end == offset && stretches.back().rule == rule)
			stretches.back().end = offset + 4;
		else
			stretches.push_back({offset, offset + 4, rule});
	}
}

} // namespace

void read_code_arm64(Bytes code, std::uint64_t address, std::uint32_t offset, const CodeHints& hints,
		     std::vector<Stretch>& stretches)
{
	std::vector<std::uint32_t> words = words_of(code);
	if (code.size() > max_read_arm64_bytes || address % 4 || std::all_of(words.begin(), words.end(), is_padding))
		return;
	CodeReader reader(address, std::move(words), hints);
	reader.run();
	reader.collect(offset, stretches);
}

} // namespace uwind
