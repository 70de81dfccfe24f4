// SPDX-License-Identifier: GPL-2.0
// Stacks that share frames in memory without a file, taken apart by what the code there was: at one address there may
// be different code in two processes, and at two times.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "app/aggregate.h"
#include "app/code_times.h"

namespace uwind {

// In code that no file holds, of a stack in user space.
inline bool is_generated(const RawFrame& frame)
{
	return !frame.file && !frame.kernel;
}

// Where the frame's code is: a return address belongs to the call instruction before it.
inline std::uint64_t place_of(const RawFrame& frame)
{
	return frame.pc - (frame.exact || !frame.pc ? 0 : 1);
}

class StackSplit {
public:
	static constexpr std::size_t most_added = 1u << 20;         // frames, and stacks
	static constexpr std::size_t most_added_frames = 16u << 20; // of all added stacks together

	explicit StackSplit(Collected& collected);

	// What the code at an address is, for one process.
	using LabelAt = std::function<CodeTimes::Span(std::uint64_t place, std::uint64_t time_ns)>;
	// The stack as the process had it then. process: a number for it. Nothing: there is no room.
	std::optional<Index> of(Index stack, std::size_t process, std::uint64_t time_ns, const LabelAt& label_at);

	// Of frames that have a label, by their index.
	const std::map<Index, CodeTimes::Label>& labels() const { return labels_; }

private:
	struct Known {
		std::uint64_t from_ns, until_ns;
		std::optional<Index> stack;
	};
	using FrameKey = std::tuple<std::uint64_t, std::uint64_t, bool, CodeTimes::Label>;

	bool has_generated(Index stack) const;
	Known resolve(Index stack, std::uint64_t time_ns, const LabelAt& label_at);
	std::optional<Index> frame_of(Index frame, CodeTimes::Label label);
	std::optional<Index> keep(Index stack, std::vector<Index> frames);

	Collected& collected_;
	const std::size_t frames_before_, stacks_before_;
	std::size_t added_frames_ = 0;
	std::vector<bool> frame_taken_, stack_taken_; // by the first that needed it
	std::map<FrameKey, Index> frames_;
	std::map<Index, CodeTimes::Label> labels_;
	std::map<std::pair<Index, std::vector<Index>>, Index> stacks_;
	std::map<std::pair<std::size_t, Index>, std::vector<Known>> known_; // by process and stack
};

} // namespace uwind
