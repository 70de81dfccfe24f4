// SPDX-License-Identifier: GPL-2.0
// A report's events, and what the samples of each count.
#include "export/measures.h"

#include <algorithm>
#include <limits>

#include "export/threads.h"

namespace uwind {
namespace {

// Of a clock that has a frequency it is the time between two ticks.
std::uint64_t period_of(const ReportEvent& event, bool is_time)
{
	constexpr std::uint64_t ns_of_s = 1'000'000'000;
	if (!event.is_frequency)
		return event.rate;
	return is_time && event.rate ? ns_of_s / event.rate : 0;
}

} // namespace

std::vector<ReportEvent> events_of(const Report& report)
{
	const ReportSession& session = report.session;
	if (session.events.empty())
		return {{session.event, session.is_frequency, session.rate}};
	std::vector<ReportEvent> events = session.events;
	const auto is_request = [](const ReportSample& sample) { return sample.has_stack() && !sample.event; };
	if (std::ranges::any_of(report.samples, is_request))
		events.push_back({"requests", false, 1});
	return events;
}

std::size_t event_index(const Report& report, const ReportSample& sample)
{
	return sample.event.value_or(report.session.events.size());
}

std::vector<Measure> measures_of(const Report& report)
{
	const auto events = events_of(report);
	std::vector<Measure> all(events.size());
	std::vector<bool> has_samples(events.size());
	for (const ReportSample& sample : report.samples) {
		if (!sample.has_stack())
			continue;
		const std::size_t event = event_index(report, sample);
		all[event].is_time = counts_time(report, sample);
		all[event].has_periods = all[event].has_periods && sample.period.has_value();
		has_samples[event] = true;
	}
	std::vector<Measure> measures;
	for (std::size_t i = 0; i < events.size(); i++) {
		all[i].event = i;
		all[i].name = events[i].name;
		all[i].period = period_of(events[i], all[i].is_time);
		if (has_samples[i])
			measures.push_back(all[i]);
	}
	return measures.empty() ? std::vector<Measure>{all.front()} : measures;
}

std::int64_t as_signed(std::uint64_t value)
{
	return static_cast<std::int64_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
}

} // namespace uwind
