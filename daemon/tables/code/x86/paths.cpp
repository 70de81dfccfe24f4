// SPDX-License-Identifier: GPL-2.0
#include "tables/code/x86/paths.h"

#include "tables/code/x86/effect.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::size_t max_steps_per_byte = 16; // after these nothing is read any more

} // namespace

void add_frame(std::vector<X86Frame>& frames, const X86Frame& frame)
{
	for (X86Frame& known : frames) {
		X86Frame both = known;
		if (both.join(frame)) {
			known = both;
			return;
		}
	}
	if (frames.size() <= max_x86_candidates)
		frames.push_back(frame);
}

X86Paths::X86Paths(const X86Text& text, X86Proof& proof, const std::vector<std::uint64_t>& no_return)
    : text_(text), proof_(proof), no_return_(no_return), begins_(text.places()),
      steps_left_(text.places() * max_steps_per_byte)
{
}

bool X86Paths::never_returns(std::int64_t at) const
{
	return std::binary_search(no_return_.begin(), no_return_.end(), text_.address_of(at));
}

// A function that is known ends where the next one begins, and a stretch where code has rows
// already: a jump leads there, or a call was the last one. Written by hand, a function may
// also run into the next one.
X86Ways X86Paths::ways(std::size_t at) const
{
	const X86Instruction instruction = text_.decode(at);
	X86Ways result;
	if (!instruction.bytes || text_.is_blank(at))
		return result;
	const X86Flow flow = flow_x86(instruction, at);
	const auto next = static_cast<std::int64_t>(at + instruction.bytes);
	const bool falls = flow.way == X86Way::next || flow.way == X86Way::branch || flow.way == X86Way::call;
	const bool jumps = flow.way == X86Way::jump || flow.way == X86Way::branch;
	const auto elsewhere = [&](std::int64_t to) { return !text_.has(to) || begins_[to]; };
	result.way = flow.way;
	result.understood = true;
	// Padding: another function comes after it.
	const bool last_call =
		flow.way == X86Way::call && (elsewhere(next) || text_.is_padding(next) || never_returns(flow.target));
	const bool runs_on = falls && text_.has(next) && begins_[next] && !text_.is_padding(at);
	result.ends = last_call || runs_on || !(falls || jumps) || (jumps && elsewhere(flow.target));
	result.tail_call = flow.way == X86Way::jump && text_.has(flow.target) && begins_[flow.target];
	if (flow.way == X86Way::call || (jumps && !elsewhere(flow.target)))
		result.target = flow.target;
	if (falls && !last_call && !elsewhere(next))
		result.next = next;
	return result;
}

void X86Paths::arrive(std::int64_t at, const X86Frame& frame)
{
	if (text_.has(at) && proof_.arrive(static_cast<std::size_t>(at), frame))
		pending_.push_back(static_cast<std::size_t>(at));
}

// A call of the next instruction only learns the pc.
void X86Paths::call(std::size_t at, const X86Ways& ways, X86Frame& frame)
{
	if (ways.target == ways.next)
		return execute_call_of_next(frame);
	proof_.verdict().wrong |= orphan_ && !frame.calls_aligned();
	findings_.calls.emplace_back(at, ways.target);
}

void X86Paths::step(std::size_t at)
{
	const X86Ways ways = this->ways(at);
	X86Verdict& verdict = proof_.verdict();
	X86Frame frame = proof_.frame(at);
	verdict.wrong |= frame.is_impossible();
	if (!ways.understood)
		return;
	switch (ways.way) {
	case X86Way::call:
		call(at, ways, frame);
		break;
	case X86Way::jump:
		verdict.proven |= ways.ends && !frame.returns_wrongly();
		verdict.returned |= ways.tail_call && !frame.returns_wrongly();
		return arrive(ways.target, frame);
	case X86Way::computed_jump:
		return add_frame(findings_.jumps, frame);
	case X86Way::leave:
		verdict.wrong |= frame.returns_wrongly();
		verdict.proven = verdict.returned = true;
		return;
	case X86Way::stop:
		return;
	case X86Way::branch:
		arrive(ways.target, frame);
		break;
	case X86Way::next:
		execute(text_.decode(at), frame);
		break;
	}
	arrive(ways.next, frame);
}

bool X86Paths::follow(std::size_t at, const X86Frame& frame)
{
	X86Verdict& verdict = proof_.verdict();
	proof_.begin_try();
	orphan_ = !begins_[at] && frame == X86Frame(text_.arch());
	findings_.jumps.clear();
	findings_.calls.clear();
	pending_.clear();
	arrive(static_cast<std::int64_t>(at), frame);
	while (!pending_.empty() && !verdict.wrong) {
		verdict.wrong = !steps_left_;
		steps_left_ -= !verdict.wrong;
		const std::size_t next = pending_.back();
		pending_.pop_back();
		step(next);
	}
	return !verdict.wrong && (orphan_ ? verdict.returned : verdict.proven || begins_[at]);
}

Successors X86Paths::successors(std::size_t at) const
{
	const X86Ways ways = this->ways(at);
	Successors on{ways.ends, {ways.jump_target(), ways.next}};
	for (std::int64_t& to : on.to)
		if (text_.has(to) && proof_.is_disputed(to))
			to = Successors::nowhere;
	return on;
}

void X86Paths::settle()
{
	const std::vector<std::size_t> places = proof_.settle();
	for (const std::size_t at : dead_ends(places, [this](std::size_t at) { return successors(at); }))
		proof_.dispute(at);
	for (const std::size_t at : places)
		if (proof_.is_settled(at))
			proof_.cover(at, text_.decode(at).bytes);
}

void X86Paths::dispute_from(std::size_t at)
{
	std::vector<std::size_t> places = {at};
	proof_.dispute(at);
	for (std::size_t i = 0; i < places.size(); i++) {
		const X86Ways on = ways(places[i]);
		for (const std::int64_t to : {on.jump_target(), on.next})
			if (text_.has(to) && proof_.is_settled(to)) {
				proof_.dispute(to);
				places.push_back(static_cast<std::size_t>(to));
			}
	}
}

} // namespace uwind
