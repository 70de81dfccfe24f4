// SPDX-License-Identifier: GPL-2.0
// Stacks that share frames in memory without a file, taken apart by what the code there was.
//
// The first code that is found for a frame, or for a stack, takes its place; each other one is added. So nothing is
// left over that no sample has.
#include "app/stack_split.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::size_t looked_back = 4; // at what was found last of a stack: samples come about in order of time

} // namespace

StackSplit::StackSplit(Collected& collected)
    : collected_(collected), frames_before_(collected.frames.size()), stacks_before_(collected.stacks.size()),
      frame_taken_(frames_before_), stack_taken_(stacks_before_)
{
}

bool StackSplit::has_generated(Index stack) const
{
	return std::ranges::any_of(collected_.stacks[stack].frames,
				   [&](Index frame) { return is_generated(collected_.frames[frame]); });
}

std::optional<Index> StackSplit::of(Index stack, std::size_t process, std::uint64_t time_ns, const LabelAt& label_at)
{
	if (!has_generated(stack))
		return stack;
	auto& known = known_[{process, stack}];
	for (std::size_t back = 1; back <= std::min(looked_back, known.size()); back++) {
		const Known& found = known[known.size() - back];
		if (time_ns >= found.from_ns && time_ns < found.until_ns)
			return found.stack;
	}
	const Known found = resolve(stack, time_ns, label_at);
	if (known.size() == looked_back)
		known.erase(known.begin());
	known.push_back(found);
	return found.stack;
}

StackSplit::Known StackSplit::resolve(Index stack, std::uint64_t time_ns, const LabelAt& label_at)
{
	Known known{0, CodeTimes::ever, std::nullopt};
	std::vector<Index> frames = collected_.stacks[stack].frames;
	for (Index& frame : frames) {
		const RawFrame& raw = collected_.frames[frame];
		if (!is_generated(raw))
			continue;
		const auto span = label_at(place_of(raw), time_ns);
		known.from_ns = std::max(known.from_ns, span.from_ns);
		known.until_ns = std::min(known.until_ns, span.until_ns);
		const auto its = frame_of(frame, span.label);
		if (!its)
			return known;
		frame = *its;
	}
	known.stack = keep(stack, std::move(frames));
	return known;
}

std::optional<Index> StackSplit::frame_of(Index frame, CodeTimes::Label label)
{
	const RawFrame raw = collected_.frames[frame];
	const FrameKey key{raw.pc, raw.offset, raw.exact, label};
	if (const auto known = frames_.find(key); known != frames_.end())
		return known->second;
	Index index = frame;
	if (frame < frames_before_ && !frame_taken_[frame]) {
		frame_taken_[frame] = true;
	} else if (collected_.frames.size() - frames_before_ < most_added) {
		index = static_cast<Index>(collected_.frames.size());
		collected_.frames.push_back(raw);
	} else {
		return std::nullopt;
	}
	frames_.emplace(key, index);
	if (label)
		labels_.emplace(index, label);
	return index;
}

std::optional<Index> StackSplit::keep(Index stack, std::vector<Index> frames)
{
	const auto known = stacks_.find({stack, frames});
	if (known != stacks_.end())
		return known->second;
	Index index = stack;
	if (!stack_taken_[stack]) {
		stack_taken_[stack] = true;
		collected_.stacks[stack].frames = frames;
	} else if (collected_.stacks.size() - stacks_before_ < most_added &&
		   added_frames_ + frames.size() <= most_added_frames) {
		index = static_cast<Index>(collected_.stacks.size());
		ReportStack added = collected_.stacks[stack];
		added.frames = frames;
		collected_.stacks.push_back(std::move(added));
		added_frames_ += frames.size();
	} else {
		return std::nullopt;
	}
	stacks_.emplace(std::pair(stack, std::move(frames)), index);
	return index;
}

} // namespace uwind
