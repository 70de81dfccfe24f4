// SPDX-License-Identifier: GPL-2.0
// Inlined functions as frames of their own.
#include "export/inlined.h"

#include <algorithm>

#include "export/folded.h"

namespace uwind {
namespace {

std::string name_of(const ReportInlined& function)
{
	return function.symbol.empty() ? "??" : function.symbol;
}

// By frame: the numbers of the frames that its inlined functions have become, innermost first.
using Expansions = std::vector<std::vector<Index>>;

Expansions add_frames(std::vector<ReportFrame>& frames)
{
	Expansions expansions(frames.size());
	for (Index i = 0; i < expansions.size(); i++) {
		const std::vector<ReportInlined> inlined = std::move(frames[i].inlined);
		frames[i].inlined.clear();
		std::uint32_t depth = static_cast<std::uint32_t>(inlined.size());
		for (const ReportInlined& function : inlined) {
			ReportFrame frame = frames[i];
			frame.symbol = name_of(function);
			frame.source = function.source;
			frame.inlining = ReportInlining{i, depth--};
			expansions[i].push_back(static_cast<Index>(frames.size()));
			frames.push_back(std::move(frame));
		}
	}
	return expansions;
}

ReportStack expanded(const ReportStack& stack, const Expansions& expansions)
{
	ReportStack result = stack;
	result.frames.clear();
	result.methods.clear();
	result.stack_bytes.clear();
	for (std::size_t i = 0; i < stack.frames.size(); i++) {
		for (const Index inlined : expansions[stack.frames[i]]) {
			result.frames.push_back(inlined);
			result.methods.push_back(stack.methods[i]);
			result.stack_bytes.emplace_back(0);
		}
		result.frames.push_back(stack.frames[i]);
		result.methods.push_back(stack.methods[i]);
		result.stack_bytes.push_back(stack.stack_bytes[i]);
	}
	return result;
}

} // namespace

void expand_inlined(Report& report)
{
	const auto has_inlined = [](const ReportFrame& frame) { return !frame.inlined.empty(); };
	if (std::none_of(report.frames.begin(), report.frames.end(), has_inlined))
		return;
	const Expansions expansions = add_frames(report.frames);
	for (ReportStack& stack : report.stacks)
		stack = expanded(stack, expansions);
}

void forget_inlined(Report& report)
{
	for (ReportFrame& frame : report.frames)
		frame.inlined.clear();
}

std::vector<ReportInlined> functions_at(const Report& report, Index index)
{
	const ReportFrame& frame = report.frames[index];
	std::vector<ReportInlined> functions;
	for (const ReportInlined& function : frame.inlined)
		functions.push_back({name_of(function), function.source});
	if (frame.symbol || frame.source || !functions.empty())
		functions.push_back({frame_text(report, index), frame.source.value_or(ReportSource{})});
	return functions;
}

} // namespace uwind
