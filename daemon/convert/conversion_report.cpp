// SPDX-License-Identifier: GPL-2.0
// The report of a converted recording: the samples, and what is known of how they were made.
#include <algorithm>
#include <ctime>

#include "app/naming.h"
#include "base/text.h"
#include "convert/conversion.h"

namespace uwind {
namespace {

std::string clock_named(const std::optional<std::uint32_t>& clock)
{
	if (!clock)
		return "perf";
	switch (*clock) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_MONOTONIC_RAW:
		return "monotonic_raw";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	default:
		return "clock " + std::to_string(*clock);
	}
}

// Events that perf adds only to be told what is mapped have no samples.
void leave_out_dummies(Report& report)
{
	std::vector<bool> has_samples(report.session.events.size());
	for (const ReportSample& sample : report.samples)
		if (sample.event)
			has_samples[*sample.event] = true;
	std::vector<Index> place(has_samples.size());
	std::vector<ReportEvent> events;
	for (std::size_t i = 0; i < place.size(); i++) {
		place[i] = static_cast<Index>(events.size());
		if (has_samples[i] || !report.session.events[i].name.starts_with("dummy"))
			events.push_back(report.session.events[i]);
	}
	for (ReportSample& sample : report.samples)
		if (sample.event)
			sample.event = place[*sample.event];
	report.session.events = std::move(events);
}

} // namespace

// When it began is only known from when its file was written last.
void Conversion::fill_session(Report& report) const
{
	const PerfHeader& header = recording_.header();
	ReportSession& session = report.session;
	for (const PerfEvent& event : header.events)
		session.events.push_back({event.name, event.is_frequency, event.rate});
	leave_out_dummies(report);
	if (!session.events.empty()) {
		session.event = session.events.front().name;
		session.is_frequency = session.events.front().is_frequency;
		session.rate = session.events.front().rate;
	}
	session.duration_ns = tally_.last_ns > tally_.first_ns ? tally_.last_ns - tally_.first_ns : 0;
	session.started = rfc3339(header.written - static_cast<std::int64_t>(session.duration_ns / 1'000'000'000));
	if (tally_.samples)
		session.started_ns = tally_.first_ns;
	session.target = header.command.empty() ? "perf record" : header.command;
	session.user_only = std::ranges::all_of(header.events, [](const PerfEvent& event) { return event.user_only; });
	session.converted = ReportConversion{header.perf, clock_named(header.clock)};
}

void Conversion::fill_counters(Report& report) const
{
	ReportCounters& counters = report.counters;
	counters.requested = tally_.samples;
	counters.answered = tally_.answered;
	counters.lost = tally_.lost;
	counters.stops = tally_.stops;
	const PerfSkipped& skipped = recording_.skipped();
	auto& others = counters.others;
	for (const char* always :
	     {"events_lost", "deferred_chains_unmatched", "samples_without_stack_bytes", "samples_without_chain"})
		others[always] = 0;
	others["decode_errors"] = skipped.malformed;
	others["records_unknown"] = skipped.unknown;
	others["records_late"] = skipped.late;
	others["mappings_not_kept"] = spaces_.not_kept();
	others["kernel_regions_lost"] = kernel_.timeline().too_many();
	for (const auto& [name, count] : tally_.counts)
		others[name] = count;
	for (const auto& [name, count] : files_.counts())
		others[name] = count;
}

Report Conversion::report()
{
	const PerfHeader& header = recording_.header();
	Report report;
	report.host.kernel = header.release;
	report.host.arch = header.machine == "aarch64" ? "arm64" : header.machine;
	report.host.hostname = header.hostname;
	report.host.uwind = ports_.processes.host().uwind;
	fill_report(aggregate_.take(), modules_, symbols_, {kernel_, kernel_.timeline()}, report);
	fill_session(report);
	fill_counters(report);
	return report;
}

} // namespace uwind
