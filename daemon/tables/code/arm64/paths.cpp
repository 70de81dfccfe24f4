// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm64/paths.h"

#include "tables/code/arm64/effect.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::size_t max_steps_per_word = 16; // after these nothing is read any more

bool falls_through(Arm64Way way)
{
	return way == Arm64Way::next || way == Arm64Way::branch || way == Arm64Way::call;
}

std::int64_t target_of(std::size_t at, const Arm64Flow& flow)
{
	return static_cast<std::int64_t>(at) + flow.distance / 4;
}

} // namespace

Arm64Paths::Arm64Paths(const Arm64Text& text, Arm64Proof& proof, const std::vector<std::size_t>& ends,
		       const std::vector<std::uint64_t>& no_return)
    : text_(text), proof_(proof), no_return_(no_return), begins_(text.places()), ends_(text.places() + 1),
      steps_left_(text.places() * max_steps_per_word)
{
	for (const std::size_t end : ends)
		ends_[end] = true;
}

void Arm64Paths::arrive(std::int64_t at, const Arm64Frame& frame)
{
	if (!text_.has(at) || begins_[at] || proof_.is_disputed(at) || begins_function(text_.word(at), frame))
		return;
	if (proof_.arrive(static_cast<std::size_t>(at), frame))
		pending_.push_back(static_cast<std::size_t>(at));
}

// The stack is lowered for a frame: after a call, this is done by another function, as
// the call does not return.
bool Arm64Paths::begins_frame(std::size_t at) const
{
	if (at >= text_.places())
		return false;
	const auto shift = shift_arm64(at + 1 < text_.places() ? text_.word(at + 1) : 0);
	return lowers_sp_arm64(text_.word(at)) || (part_arm64(text_.word(at)) && shift && shift->down);
}

// It is known not to return, or it is the last instruction of a function.
bool Arm64Paths::is_last_call(std::size_t at, const Arm64Flow& flow) const
{
	const std::uint64_t target = text_.address_of(at) + static_cast<std::uint64_t>(flow.distance);
	const auto never_returns = [&] { return std::binary_search(no_return_.begin(), no_return_.end(), target); };
	return flow.way == Arm64Way::call &&
	       (begins_frame(at + 1) || ends_[at + 1] || (flow.has_target && never_returns()));
}

// Where the stack is not known, it says nothing.
void Arm64Paths::note_return(const Arm64Frame& frame)
{
	proof_.verdict().proven |= frame.is_bare();
	proof_.verdict().wrong |= frame.returns_wrongly();
}

void Arm64Paths::step(std::size_t at)
{
	Arm64Frame frame = proof_.frame(at);
	const Arm64Flow flow = flow_arm64(text_.word(at));
	if (flow.has_target && flow.way != Arm64Way::call) {
		const std::int64_t target = target_of(at, flow);
		proof_.verdict().proven |= text_.has(target) && begins_[target] && frame.is_bare();
		arrive(target, frame);
	}
	if (flow.way == Arm64Way::leave)
		note_return(frame);
	execute(text_.word(at), frame);
	proof_.verdict().reached_out |= frame.reached_out();
	if (falls_through(flow.way) && !is_last_call(at, flow))
		arrive(static_cast<std::int64_t>(at) + 1, frame);
}

void Arm64Paths::follow(std::size_t at, const Arm64Frame& frame)
{
	proof_.begin_try(at, frame);
	proof_.verdict().wrong = begins_function(text_.word(at), frame);
	pending_.push_back(at);
	for (; !pending_.empty() && steps_left_; steps_left_--) {
		const std::size_t next = pending_.back();
		pending_.pop_back();
		step(next);
	}
	proof_.verdict().wrong |= !pending_.empty();
	pending_.clear();
}

// A call before another function, or before padding, does not return.
Successors Arm64Paths::successors(std::size_t at) const
{
	const Arm64Flow flow = flow_arm64(text_.word(at));
	Successors on;
	if (!is_instruction_arm64(text_.word(at)))
		return on;
	const auto next = static_cast<std::int64_t>(at) + 1;
	const auto elsewhere = [this](std::int64_t to) { return !text_.has(to) || begins_[to]; };
	const bool last_call =
		is_last_call(at, flow) || (flow.way == Arm64Way::call && (elsewhere(next) || text_.is_padding(next)));
	on.end = last_call || !(falls_through(flow.way) || flow.way == Arm64Way::jump);
	if (flow.has_target && flow.way != Arm64Way::call) {
		const std::int64_t target = target_of(at, flow);
		on.end |= elsewhere(target);
		on.to[0] = elsewhere(target) ? Successors::nowhere : target;
	}
	if (falls_through(flow.way) && !last_call && !elsewhere(next))
		on.to[1] = next;
	return on;
}

void Arm64Paths::dispute_dead_ends()
{
	std::vector<std::size_t> places;
	for (std::size_t at = 0; at < text_.places(); at++)
		if (!proof_.is_unseen(at))
			places.push_back(at);
	for (const std::size_t at : dead_ends(places, [this](std::size_t at) { return successors(at); }))
		proof_.dispute(at);
}

} // namespace uwind
