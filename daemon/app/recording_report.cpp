// SPDX-License-Identifier: GPL-2.0
// A recording's reports: the samples, and the counters since the last report.
#include "app/naming.h"
#include "app/recording.h"
#include "base/cpu_list.h"
#include "base/text.h"

namespace uwind {
namespace {

std::uint64_t minus(std::uint64_t now, std::uint64_t before)
{
	return now > before ? now - before : 0;
}

template <typename Word>
std::map<std::string, std::uint64_t> named(const std::map<Word, std::uint64_t>& now,
					   const std::map<Word, std::uint64_t>& before)
{
	std::map<std::string, std::uint64_t> result;
	for (const auto& [word, count] : now) {
		const auto earlier = before.find(word);
		result[name_of(word)] = minus(count, earlier == before.end() ? 0 : earlier->second);
	}
	return result;
}

std::vector<ReportEvent> events_of(const SessionOptions& options)
{
	std::vector<ReportEvent> events;
	for (const EventSpec& event : options.events) {
		const Rate rate = rate_of(event, options);
		events.push_back({event.name, rate.is_frequency, rate.value});
	}
	if (options.event == Event::cpu_clock || options.event == Event::cycles)
		events.push_back({name_of(options.event), options.is_frequency, options.rate});
	return events;
}

ReportSession session_of(const RecordingOptions& options)
{
	ReportSession session;
	session.events = events_of(options.session);
	if (session.events.empty()) {
		session.event = name_of(options.session.event);
		session.is_frequency = options.session.is_frequency;
		session.rate = options.session.rate;
	} else {
		session.event = session.events.front().name;
		session.is_frequency = session.events.front().is_frequency;
		session.rate = session.events.front().rate;
	}
	session.target = options.target;
	session.cgroup = options.session.cgroup;
	session.cpus = text_of_cpus(options.session.cpus);
	session.excluded.assign(options.session.excludes.begin(), options.session.excludes.end());
	session.max_depth = options.session.max_frames;
	session.user_only = options.session.user_only;
	return session;
}

} // namespace

Counts Recording::own_counts()
{
	Counts counts{
		{"messages_missing", 0},      {"decode_errors", 0},         {"records_unknown", 0},
		{"tables_made", 0},           {"tables_shared", 0},         {"tables_refused", 0},
		{"tables_rejected", 0},       {"tables_given_up", 0},       {"files_without_table", 0},
		{"files_not_opened", 0},      {"files_not_followed", 0},    {"sections_refused", 0},
		{"tables_kept", 0},           {"stacks_finished_later", 0}, {"unfinished_left", 0},
		{"unfinished_gone", 0},       {"unfinished_too_many", 0},   {"events_unmatched", join_.too_many()},
		{"code_notes_read", 0},       {"code_notes_bad", 0},        {"code_notes_refused", 0},
		{"code_processes_missed", 0}, {"code_changes_not_kept", 0}};
	for (const auto& [name, count] : messages_.counts)
		counts[name] = count;
	for (const auto& [name, count] : unfinished_.counts())
		counts[name] = count;
	for (const auto& [name, count] : tracker_.counts())
		counts[name] = count;
	for (const auto& [name, count] : owners_.counts())
		counts[name] = count;
	for (const auto& [name, count] : generated_.counts())
		counts[name] = count;
	counts["socket_overruns"] = ports_.stream.overruns();
	counts["lives_lost"] = lives_.lost();
	return counts;
}

// The module counted them as they were.
void Recording::count_finished(std::map<std::string, std::uint64_t>& stops)
{
	for (const auto& [change, count] : unfinished_.take_stops()) {
		const auto& [before, now] = change;
		stops[name_of(before)] = minus(stops[name_of(before)], count);
		stops[name_of(now)] += count;
	}
}

// Requests that were open at the last report count as requested in this one too, so
// that requested = answered + lost + pending holds for every report.
void Recording::fill_counters(const SessionStats& stats, Report& report)
{
	ReportCounters& counters = report.counters;
	counters.requested = minus(stats.requested, reported_.stats.requested) + reported_.stats.pending;
	counters.answered = minus(stats.answered, reported_.stats.answered);
	counters.pending = stats.pending;
	counters.lost = named(stats.lost, reported_.stats.lost);
	counters.stops = named(stats.stops, reported_.stats.stops);
	counters.stops.erase(name_of(Stop::NONE));
	count_finished(counters.stops);
	counters.others["messages"] = minus(stats.messages, reported_.stats.messages);
	counters.others["messages_dropped"] = minus(stats.messages_dropped, reported_.stats.messages_dropped);
	counters.others["message_bytes"] = minus(stats.bytes, reported_.stats.bytes);
	counters.others["stacks_told"] = minus(stats.stacks_told, reported_.stats.stacks_told);
	counters.others["stacks_known"] = minus(stats.stacks_known, reported_.stats.stacks_known);
	counters.others["periods_missed"] = minus(stats.periods_missed, reported_.stats.periods_missed);
	counters.others["throttled"] = minus(stats.throttled, reported_.stats.throttled);
	counters.others["counters_failed"] = minus(stats.counters_failed, reported_.stats.counters_failed);
	counters.others["events"] = minus(stats.events, reported_.stats.events);
	counters.others["events_lost"] = minus(stats.events_lost, reported_.stats.events_lost);
	counters.others["events_dropped"] = minus(stats.events_dropped, reported_.stats.events_dropped);
	counters.others["events_own"] = minus(stats.events_own, reported_.stats.events_own);
	counters.others["unfinished"] = minus(stats.unfinished, reported_.stats.unfinished);
	counters.others["unfinished_refused"] = minus(stats.unfinished_refused, reported_.stats.unfinished_refused);
	const Counts counts = own_counts();
	for (const auto& [name, count] : counts)
		counters.others[name] = minus(count, reported_.counts[name]);
	reported_.stats = stats;
	reported_.counts = counts;
}

Report Recording::report_of(const SessionStats& stats)
{
	Report report;
	const std::uint64_t now_ns = ports_.clock.boottime_ns();
	report.host = ports_.processes.host();
	report.host.arch = name_of(ports_.kernel.version().arch);
	report.host.abi = ports_.kernel.version().abi;
	report.session = session_of(options_);
	for (const auto& unwatched : owners_.unwatched())
		report.session.unwatched.push_back(unwatched.kind);
	if (!lives_.told())
		report.session.unwatched.push_back("processes");
	report.session.started = rfc3339(since_.seconds);
	report.session.started_ns = since_.boottime_ns;
	report.session.duration_ns = minus(now_ns, since_.boottime_ns);
	since_.boottime_ns = now_ns;
	since_.seconds = ports_.clock.seconds_since_1970();
	report.stack_depth = options_.stack_depth;
	Collected collected = aggregate_.take();
	GeneratedNames generated = generated_.name(collected);
	fill_report(std::move(collected), modules_, symbols_, {ports_.kernel_names, owners_.timeline()}, report);
	generated.apply(report);
	if (options_.no_arguments)
		for (ReportProcess& process : report.processes)
			process.details.arguments.clear();
	fill_counters(stats, report);
	return report;
}

} // namespace uwind
