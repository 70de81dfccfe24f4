// SPDX-License-Identifier: GPL-2.0
// Follows every path through a stretch of code from where its functions begin.
// Beginnings that are known (symbols, calls) come first. What they do not reach begins
// another function, or is where a computed jump leads, with the frame of the jump: it
// has to make sense with one of these frames only, and does not change what is known.
#include "tables/code_arm64.h"

#include "tables/code_sense.h"
#include "tables/frame_arm64.h"
#include "tables/instruction_arm64.h"

extern "C" {
#include "types.h"
}

#include <algorithm>
#include <cstring>

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
	CodeReader(std::uint64_t address, std::vector<std::uint32_t> words)
	    : address_(address), words_(std::move(words)), seen_(words_.size()), frames_(words_.size()),
	      settled_(words_.size()), steps_left_(words_.size() * max_steps_per_word)
	{
	}

	void run(const std::vector<CodeFunction>& functions);
	// Rows of the stretch, whose first byte has this file offset.
	void collect(std::uint32_t offset, std::vector<Stretch>& stretches) const;

private:
	enum Seen : std::uint8_t { unseen, begins, reached, disputed };

	bool is_inside(std::int64_t at) const { return at >= 0 && at < static_cast<std::int64_t>(words_.size()); }
	void begin_at(std::int64_t at);
	void find_called();
	void follow();
	void arrive(std::int64_t at, const Arm64Frame& frame);
	bool begins_frame(std::size_t at) const;
	void note_return(const Arm64Frame& frame);
	void enter_function(std::size_t at);
	void note_jump(std::size_t at);
	std::vector<Arm64Frame> candidates() const;
	bool follow_from(std::size_t at, const Arm64Frame& frame);
	void forget();
	void settle(bool sensible);
	void begin_unknown(std::size_t at);
	PathsOn paths_on(std::size_t at) const;
	void drop_senseless();

	const std::uint64_t address_;
	const std::vector<std::uint32_t> words_;
	std::vector<std::uint8_t> seen_;
	std::vector<Arm64Frame> frames_; // before each instruction
	std::vector<std::size_t> pending_;
	std::vector<bool> settled_; // by other beginnings
	std::size_t steps_left_;
	// Of what is being tried.
	std::vector<std::size_t> trail_;
	bool wrong_ = false;  // two paths disagree, or it returned with a frame
	bool proven_ = false; // it returned well, or met what is settled
	bool reached_out_ = false;
	// Of the function that was entered last: it jumps as switches do, and with these frames.
	bool switches_ = false;
	std::vector<Arm64Frame> jumps_;
};

void CodeReader::begin_at(std::int64_t at)
{
	if (!is_inside(at) || seen_[at] != unseen)
		return;
	seen_[at] = begins;
	pending_.push_back(static_cast<std::size_t>(at));
}

void CodeReader::find_called()
{
	for (std::size_t at = 0; at < words_.size(); at++) {
		const Arm64Flow flow = flow_arm64(words_[at]);
		if (flow.way == Arm64Way::call && flow.has_target)
			begin_at(static_cast<std::int64_t>(at) + flow.distance / 4);
	}
}

// A path comes to an instruction.
void CodeReader::arrive(std::int64_t at, const Arm64Frame& frame)
{
	if (!is_inside(at) || seen_[at] == begins || seen_[at] == disputed || frame.is_beginning(words_[at]))
		return;
	Arm64Frame both = frame;
	const bool agreed = seen_[at] == unseen || both.join(frames_[at]);
	wrong_ |= !agreed;
	proven_ |= agreed && settled_[at];
	if (settled_[at] || (seen_[at] == reached && agreed && both == frames_[at]))
		return;
	seen_[at] = agreed ? reached : disputed;
	trail_.push_back(static_cast<std::size_t>(at));
	frames_[at] = both;
	pending_.push_back(static_cast<std::size_t>(at));
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

// Where the stack is not known, it says nothing.
void CodeReader::note_return(const Arm64Frame& frame)
{
	proven_ |= frame.is_bare();
	wrong_ |= !frame.is_bare() && frame.rule().kind == UW_RULE_FRAME;
}

void CodeReader::follow()
{
	for (; !pending_.empty() && steps_left_; steps_left_--) {
		const std::size_t at = pending_.back();
		pending_.pop_back();
		Arm64Frame frame = seen_[at] == disputed ? Arm64Frame::unknown() : frames_[at];
		const Arm64Flow flow = flow_arm64(words_[at]);
		if (flow.has_target && flow.way != Arm64Way::call) {
			const std::int64_t target = static_cast<std::int64_t>(at) + flow.distance / 4;
			proven_ |= is_inside(target) && seen_[target] == begins && frame.is_bare();
			arrive(target, frame);
		}
		if (flow.way == Arm64Way::leave)
			note_return(frame);
		frame.execute(words_[at]);
		reached_out_ |= frame.reached_out();
		if (falls_through(flow.way) && !(flow.way == Arm64Way::call && begins_frame(at + 1)))
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
	switches_ = false;
	jumps_.clear();
	do {
		switches_ |= is_computed_jump(words_[at]);
		if (seen_[at] != unseen)
			note_jump(at);
	} while (++at < words_.size() && seen_[at] != begins);
}

std::vector<Arm64Frame> CodeReader::candidates() const
{
	std::vector<Arm64Frame> candidates(1);
	for (const Arm64Frame& frame : jumps_)
		if (!frame.is_bare())
			candidates.push_back(frame);
	return candidates;
}

// Whether code that begins at a place with such a frame makes sense. A part of a function
// that only a jump from elsewhere reaches gives itself away by what it does to a frame
// that it has not made; where there are such jumps for sure, the frame must be proven.
bool CodeReader::follow_from(std::size_t at, const Arm64Frame& frame)
{
	wrong_ = proven_ = reached_out_ = false;
	trail_.clear();
	arrive(static_cast<std::int64_t>(at), frame);
	follow();
	const bool only_begins = !switches_ && jumps_.empty();
	return !(frame.is_bare() && reached_out_) && (only_begins || (proven_ && !wrong_));
}

void CodeReader::forget()
{
	for (const std::size_t at : trail_)
		seen_[at] = unseen;
}

void CodeReader::settle(bool sensible)
{
	for (const std::size_t at : trail_) {
		settled_[at] = true;
		if (!sensible)
			seen_[at] = disputed;
		else
			note_jump(at);
	}
}

void CodeReader::begin_unknown(std::size_t at)
{
	const std::vector<Arm64Frame> frames = candidates();
	std::size_t sensible = 0, last = 0;
	for (std::size_t i = 0; i < frames.size() && frames.size() <= max_candidates; i++) {
		if (follow_from(at, frames[i])) {
			sensible++;
			last = i;
		}
		forget();
	}
	follow_from(at, frames[last]);
	settle(sensible == 1);
}

void CodeReader::run(const std::vector<CodeFunction>& functions)
{
	const auto before = [](const CodeFunction& function, std::uint64_t at) { return function.start < at; };
	auto function = std::lower_bound(functions.begin(), functions.end(), address_, before);
	for (; function != functions.end() && function->start < address_ + words_.size() * 4; ++function)
		if (function->begins)
			begin_at(static_cast<std::int64_t>(function->start - address_) / 4);
	find_called();
	follow();
	for (std::size_t at = 0; at < words_.size(); at++)
		settled_[at] = seen_[at] != unseen;
	for (std::size_t at = 0; at < words_.size(); at++) {
		switches_ |= is_computed_jump(words_[at]);
		if (seen_[at] == begins)
			enter_function(at);
		if (seen_[at] == unseen && !is_padding(words_[at]))
			begin_unknown(at);
	}
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
	const auto elsewhere = [this](std::int64_t to) { return !is_inside(to) || seen_[to] == begins; };
	const bool last_call = flow.way == Arm64Way::call && (elsewhere(next) || is_padding(words_[next]) ||
							      begins_frame(static_cast<std::size_t>(next)));
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
		const Rule rule = seen_[at] == begins || seen_[at] == reached ? frames_[at].rule() : Rule{};
		if (rule.kind == UW_RULE_NONE)
			continue;
		if (!stretches.empty() && stretches.back().end == offset && stretches.back().rule == rule)
			stretches.back().end = offset + 4;
		else
			stretches.push_back({offset, offset + 4, rule});
	}
}

} // namespace

void read_code_arm64(Bytes code, std::uint64_t address, std::uint32_t offset,
		     const std::vector<CodeFunction>& functions, std::vector<Stretch>& stretches)
{
	std::vector<std::uint32_t> words = words_of(code);
	if (code.size() > max_read_arm64_bytes || address % 4 || std::all_of(words.begin(), words.end(), is_padding))
		return;
	CodeReader reader(address, std::move(words));
	reader.run(functions);
	reader.collect(offset, stretches);
}

} // namespace uwind
