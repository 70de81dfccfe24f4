// SPDX-License-Identifier: GPL-2.0
// Which of a report's samples are shown.
#include "export/selection.h"

#include <algorithm>
#include <cerrno>
#include <fnmatch.h>

#include "base/text.h"

namespace uwind {
namespace {

bool matches(const std::vector<std::string>& patterns, const std::string& text)
{
	return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
		return pattern == text || ::fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
	});
}

// Which of the report's entries a filter takes. Nothing: there is no filter.
using Taken = std::optional<std::vector<bool>>;

template <typename List, typename Takes>
Taken taken_of(const List& list, bool is_given, Takes takes)
{
	if (!is_given)
		return std::nullopt;
	std::vector<bool> taken;
	taken.reserve(list.size());
	for (const auto& entry : list)
		taken.push_back(takes(entry));
	return taken;
}

bool has(const Taken& taken, std::optional<Index> index)
{
	return !taken || (index && *index < taken->size() && (*taken)[*index]);
}

bool in_function(const ReportFrame& frame, const std::vector<std::string>& patterns)
{
	const auto takes = [&](const ReportInlined& inlined) { return matches(patterns, inlined.symbol); };
	return (frame.symbol && matches(patterns, *frame.symbol)) ||
	       std::any_of(frame.inlined.begin(), frame.inlined.end(), takes);
}

// What is asked of a sample, looked up once.
class Chosen {
public:
	Chosen(const Report& report, const Selection& selection);

	bool takes(const ReportSample& sample) const;
	bool has_no_event() const
	{
		return events_ && std::find(events_->begin(), events_->end(), true) == events_->end();
	}

private:
	bool takes_time(std::uint64_t time_ns) const;
	bool takes_stack(const Taken& stacks, const ReportSample& sample) const;
	Taken stacks_with(const Report& report, const Taken& frames) const;

	const Selection& selection_;
	Taken events_, processes_, modules_, symbols_; // the last two: stacks
	std::uint64_t first_ns_ = ~0ull;
};

Chosen::Chosen(const Report& report, const Selection& selection) : selection_(selection)
{
	events_ = taken_of(report.session.events, !selection.events.empty(),
			   [&](const ReportEvent& event) { return matches(selection.events, event.name); });
	processes_ = taken_of(report.processes, !selection.comms.empty(),
			      [&](const ReportProcess& process) { return matches(selection.comms, process.comm); });
	const auto modules = taken_of(report.modules, !selection.modules.empty(), [&](const ReportModule& module) {
		return matches(selection.modules, module.path) ||
		       matches(selection.modules, std::string(basename_of(module.path)));
	});
	modules_ =
		stacks_with(report, taken_of(report.frames, !selection.modules.empty(), [&](const ReportFrame& frame) {
				    return has(modules, frame.module) && frame.module;
			    }));
	symbols_ =
		stacks_with(report, taken_of(report.frames, !selection.symbols.empty(), [&](const ReportFrame& frame) {
				    return in_function(frame, selection.symbols);
			    }));
	for (const ReportSample& sample : report.samples)
		first_ns_ = std::min(first_ns_, sample.time_ns);
}

Taken Chosen::stacks_with(const Report& report, const Taken& frames) const
{
	return taken_of(report.stacks, frames.has_value(), [&](const ReportStack& stack) {
		return std::any_of(stack.frames.begin(), stack.frames.end(),
				   [&](Index frame) { return has(frames, frame); });
	});
}

bool Chosen::takes_time(std::uint64_t time_ns) const
{
	const double s = static_cast<double>(time_ns - first_ns_) / 1e9;
	return (!selection_.from_s || s >= *selection_.from_s) && (!selection_.to_s || s < *selection_.to_s);
}

bool Chosen::takes_stack(const Taken& stacks, const ReportSample& sample) const
{
	return has(stacks, sample.user_stack) || has(stacks, sample.kernel_stack);
}

bool Chosen::takes(const ReportSample& sample) const
{
	const auto& pids = selection_.pids;
	return has(events_, sample.event) && has(processes_, sample.process) && takes_time(sample.time_ns) &&
	       (pids.empty() || std::find(pids.begin(), pids.end(), sample.pid) != pids.end()) &&
	       takes_stack(modules_, sample) && takes_stack(symbols_, sample);
}

Error no_event(const Report& report)
{
	std::string names;
	for (const ReportEvent& event : report.session.events)
		names += (names.empty() ? "" : ", ") + event.name;
	return Error{EINVAL, "no event of this report has that name: it has " + (names.empty() ? "none" : names)};
}

} // namespace

Status select_samples(Report& report, const Selection& selection)
{
	const Chosen chosen(report, selection);
	if (chosen.has_no_event())
		return no_event(report);
	report.samples.erase_if([&](const ReportSample& sample) { return !chosen.takes(sample); });
	return Nothing{};
}

} // namespace uwind
