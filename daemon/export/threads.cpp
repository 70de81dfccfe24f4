// SPDX-License-Identifier: GPL-2.0
// A report's samples by thread, and what each of them counts.
#include "export/threads.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.h"

namespace uwind {
namespace {

// Clocks have ns for a period, whatever modifiers or terms follow: "cpu-clock:u", "task-clock/freq=99/".
bool is_clock(const std::string& event)
{
	const std::string name = event.substr(0, event.find_first_of(":/"));
	return name == "cpu-clock" || name == "task-clock";
}

} // namespace

std::string event_name(const Report& report, const ReportSample& sample)
{
	const auto& session = report.session;
	if (sample.event && *sample.event < session.events.size())
		return session.events[*sample.event].name;
	return session.events.empty() ? session.event : "requests";
}

bool counts_time(const Report& report, const ReportSample& sample)
{
	return sample.off_cpu || is_clock(event_name(report, sample));
}

std::vector<ReportSample> in_order_of_time(const Report& report)
{
	std::vector<ReportSample> samples;
	for (const ReportSample& sample : report.samples)
		if (sample.has_stack())
			samples.push_back(sample);
	std::ranges::stable_sort(samples, {}, &ReportSample::time_ns);
	return samples;
}

std::vector<ThreadSamples> threads_of(const Report& report)
{
	std::map<std::tuple<std::uint32_t, std::uint32_t, Index>, ThreadSamples> found;
	for (const ReportSample& sample : report.samples) {
		if (!sample.has_stack())
			continue;
		ThreadSamples& thread = found[{sample.pid, sample.tid, sample.process}];
		thread.process = sample.process;
		thread.pid = sample.pid;
		thread.tid = sample.tid;
		thread.samples.push_back(sample);
	}
	std::vector<ThreadSamples> threads;
	threads.reserve(found.size());
	for (auto& [key, thread] : found) {
		std::ranges::stable_sort(thread.samples, {}, &ReportSample::time_ns);
		threads.push_back(std::move(thread));
	}
	return threads;
}

std::string name_of(const Report& report, const ThreadSamples& thread)
{
	return printable(report.processes[thread.process].comm) + " " + std::to_string(thread.pid) + "/" +
	       std::to_string(thread.tid);
}

std::vector<Index> outermost_first(const Report& report, const ReportSample& sample)
{
	std::vector<Index> frames;
	for (const auto& stack : {sample.user_stack, sample.kernel_stack})
		if (stack)
			frames.insert(frames.end(), report.stacks[*stack].frames.rbegin(),
				      report.stacks[*stack].frames.rend());
	return frames;
}

SampleUnit unit_of(const Report& report)
{
	bool all_time = true, all_known = true;
	for (const ReportSample& sample : report.samples) {
		if (!sample.has_stack())
			continue;
		all_known = all_known && sample.period.has_value();
		all_time = all_time && counts_time(report, sample);
	}
	if (!all_known)
		return SampleUnit::samples;
	return all_time ? SampleUnit::ns : SampleUnit::events;
}

std::uint64_t value_of(const ReportSample& sample, SampleUnit unit)
{
	return unit == SampleUnit::samples ? sample.weight : sample.period.value_or(0);
}

} // namespace uwind
