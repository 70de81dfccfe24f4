// SPDX-License-Identifier: GPL-2.0
// How deep the stacks of a report's samples are, in bytes: by thread, and by function.
#include "export/depths.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace uwind {
namespace {

// Nobody knows where the outermost frame of a complete stack ends.
bool is_exact(const ReportStack& stack)
{
	if (!is_complete(stack.stop) || stack.stack_bytes.empty())
		return false;
	return std::all_of(stack.stack_bytes.begin(), stack.stack_bytes.end() - 1,
			   [](const auto& bytes) { return bytes.has_value(); });
}

// Of two that are as deep, the exact one says more, then the one with more frames, as a leaf's may take nothing, and
// then the earlier one.
bool is_deeper(const Report& report, const ThreadDepth& one, const ThreadDepth& other)
{
	const auto rank = [&report](const ThreadDepth& depth) {
		const ReportStack& stack = report.stacks[*depth.sample->user_stack];
		return std::tuple(depth.bytes, depth.exact, stack.frames.size(), ~depth.sample->time_ns);
	};
	return !other.sample || rank(one) > rank(other);
}

// Stacks that samples name, each once.
std::vector<Index> stacks_of(const Report& report)
{
	std::vector<Index> stacks;
	for (const ReportSample& sample : report.samples)
		if (sample.user_stack)
			stacks.push_back(*sample.user_stack);
	std::sort(stacks.begin(), stacks.end());
	stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
	return stacks;
}

using FunctionKey = std::tuple<std::optional<Index>, std::optional<std::string>, std::uint64_t>;

FunctionKey key_of(const ReportFrame& frame)
{
	return {frame.module, frame.symbol, frame.symbol ? 0 : frame.module ? frame.offset : frame.address};
}

} // namespace

std::size_t counted_frames(const ReportStack& stack)
{
	if (is_complete(stack.stop))
		return stack.frames.size();
	const auto by_frame_pointer = std::find_if(stack.methods.begin(), stack.methods.end(), [](Method method) {
		return method == Method::FP || method == Method::COMPAT_FP;
	});
	// A frame's method says how the step to it was made.
	const auto found = static_cast<std::size_t>(by_frame_pointer - stack.methods.begin());
	return by_frame_pointer == stack.methods.end() ? found : found - (found > 0);
}

std::uint64_t counted_bytes(const ReportStack& stack)
{
	std::uint64_t sum = 0;
	for (std::size_t i = 0; i < counted_frames(stack); i++)
		sum += stack.stack_bytes[i].value_or(0);
	return sum;
}

std::vector<ThreadDepth> depths_of(const Report& report)
{
	std::map<std::pair<Index, std::uint32_t>, ThreadDepth> threads;
	for (const ReportSample& sample : report.samples) {
		if (!sample.user_stack)
			continue;
		const ReportStack& stack = report.stacks[*sample.user_stack];
		ThreadDepth& deepest = threads[{sample.process, sample.tid}];
		ThreadDepth depth{sample, counted_bytes(stack), is_exact(stack), deepest.samples};
		if (is_deeper(report, depth, deepest))
			deepest = depth;
		deepest.samples += sample.weight;
	}
	std::vector<ThreadDepth> depths;
	for (const auto& [thread, depth] : threads)
		depths.push_back(depth);
	std::stable_sort(depths.begin(), depths.end(),
			 [](const ThreadDepth& a, const ThreadDepth& b) { return a.bytes > b.bytes; });
	return depths;
}

std::vector<LargeFrame> largest_frames(const Report& report)
{
	std::map<FunctionKey, LargeFrame> functions;
	for (const Index stack : stacks_of(report)) {
		const auto& [frames, sizes] = std::tie(report.stacks[stack].frames, report.stacks[stack].stack_bytes);
		for (std::size_t i = 0; i < counted_frames(report.stacks[stack]); i++) {
			if (!sizes[i])
				continue;
			LargeFrame& largest = functions[key_of(report.frames[frames[i]])];
			if (*sizes[i] > largest.bytes || !largest.bytes)
				largest = {frames[i], stack, *sizes[i]};
		}
	}
	std::vector<LargeFrame> all;
	for (const auto& [function, frame] : functions)
		all.push_back(frame);
	std::stable_sort(all.begin(), all.end(),
			 [](const LargeFrame& a, const LargeFrame& b) { return a.bytes > b.bytes; });
	return all;
}

} // namespace uwind
