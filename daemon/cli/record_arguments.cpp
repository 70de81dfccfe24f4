// SPDX-License-Identifier: GPL-2.0
// The options of uwind record, and the recording that they describe.
#include "cli/record_arguments.h"

#include "base/cpu_list.h"
#include "model/settings.h"

namespace uwind {
namespace {

constexpr std::uint64_t default_hz = 99;

// A cgroup or CPUs without processes mean all processes there.
bool means_all(const RecordArguments& arguments)
{
	return arguments.all || (arguments.pids.empty() && arguments.command.empty() &&
				 (!arguments.cgroup.empty() || !arguments.cpus.empty()));
}

std::string joined(const std::vector<std::int32_t>& pids)
{
	std::string text;
	for (const auto pid : pids)
		text += (text.empty() ? "" : ",") + std::to_string(pid);
	return text;
}

// Only the command's name goes into the report: its arguments may contain passwords.
std::string target_of(const RecordArguments& arguments)
{
	if (means_all(arguments))
		return "all";
	return arguments.command.empty() ? "pid " + joined(arguments.pids) : "command " + arguments.command.front();
}

constexpr std::string_view user_suffix = ":u";

bool is_user_only(const RecordArguments& arguments)
{
	return arguments.event.ends_with(user_suffix);
}

Event event_of(const RecordArguments& arguments)
{
	for (const Event event : {Event::cycles, Event::requests})
		if (arguments.event.starts_with(name_of(event)))
			return event;
	return Event::cpu_clock;
}

SessionOptions session_of(const RecordArguments& arguments)
{
	SessionOptions session;
	session.event = event_of(arguments);
	session.user_only = is_user_only(arguments);
	session.is_frequency = arguments.period == 0 && session.event != Event::requests;
	session.rate = session.event == Event::requests ? 1
		       : arguments.period               ? arguments.period
		       : arguments.frequency            ? arguments.frequency
							: default_hz;
	session.all = means_all(arguments);
	session.inherit = !session.all;
	session.targets = arguments.pids;
	session.max_frames = arguments.max_depth;
	session.stack_bytes = arguments.stack_bytes;
	session.excludes = arguments.excluded;
	session.cgroup = arguments.cgroup;
	if (!arguments.cpus.empty())
		session.cpus = parse_cpus(arguments.cpus).value_or(session.cpus);
	return session;
}

std::string not_cpus(const std::string& text)
{
	return parse_cpus(text) ? "" : "'" + text + "' is no list of CPUs: give numbers and ranges, for example 0-3,5";
}

std::string empty_path(const std::string& path)
{
	return path.empty() ? "it has no name: give a path below /sys/fs/cgroup, for example system.slice" : "";
}

void add_what(CLI::App& verb, RecordArguments& arguments)
{
	auto* pids = verb.add_option("-p,--pid", arguments.pids, "These processes, and their children from now on")
			     ->delimiter(',');
	verb.add_flag("-a,--all", arguments.all, "All processes")->excludes(pids);
	verb.add_option("--exclude-pid", arguments.excluded, "Not these processes, nor their children from now on")
		->delimiter(',');
	verb.add_option("-G,--cgroup", arguments.cgroup,
			"Only this cgroup (version 2) and those below it; a path as in /proc/PID/cgroup")
		->check(empty_path);
	verb.add_option("-C,--cpu", arguments.cpus, "Only these CPUs: 0-3,5")->check(not_cpus);
}

void add_how(CLI::App& verb, RecordArguments& arguments)
{
	verb.add_option("-e,--event", arguments.event,
			"What triggers a sample: cpu-clock or cycles (with :u only in user mode), or only requests of "
			"BPF programs and kernel modules")
		->check(CLI::IsMember({"cpu-clock", "cpu-clock:u", "cycles", "cycles:u", "requests"}))
		->capture_default_str();
	auto* frequency =
		verb.add_option("-F,--frequency", arguments.frequency,
				"Samples per second of each CPU, or without privilege of each thread (default: 99)")
			->check(CLI::Range(1, 100'000));
	verb.add_option("-c,--count", arguments.period, "One sample every COUNT ns (cpu-clock) or cycles")
		->check(CLI::PositiveNumber)
		->excludes(frequency);
	verb.add_option("--max-depth", arguments.max_depth,
			"Most frames of one stack (default: " + std::to_string(default_frames) + ")")
		->check(CLI::Range(1u, most_frames));
	verb.add_option(
		    "--stack-bytes", arguments.stack_bytes,
		    "Most bytes of stack that come with a sample whose table is not there yet, to finish it later; 0: "
		    "none")
		->check(CLI::Range(0u, most_stack_bytes))
		->capture_default_str();
}

} // namespace

void add_record_options(CLI::App& verb, RecordArguments& arguments)
{
	verb.footer("Needs one of -a, -p PID,... or, after all options, -- COMMAND ARG...; with -G or -C, -a is the "
		    "default.");
	add_how(verb, arguments);
	add_what(verb, arguments);
	verb.add_option("--duration", arguments.duration_s, "Stop after this many seconds")->check(CLI::PositiveNumber);
	verb.add_option("-o,--output", arguments.output, "The report; an older one becomes FILE.old")
		->capture_default_str();
	verb.add_option("--table-cache", arguments.table_cache,
			std::string("Folder in which tables are kept for the next time, or none (default: ") +
				default_table_cache + " for root, else none)");
	verb.add_flag("-v,--verbose", arguments.verbose, "Log details, such as files without unwind information");
}

std::optional<Error> wrong(const RecordArguments& arguments)
{
	const int targets = means_all(arguments) + !arguments.pids.empty() + !arguments.command.empty();
	if (targets != 1)
		return Error{EINVAL, "say what to record: -a, -p PID,... or -- COMMAND ARG..."};
	if (event_of(arguments) == Event::requests && (arguments.frequency || arguments.period))
		return Error{EINVAL, "-e requests has no frequency and no period: leave out -F and -c"};
	for (const auto& [option, pids] :
	     {std::pair("-p ", &arguments.pids), std::pair("--exclude-pid ", &arguments.excluded)})
		for (const auto pid : *pids)
			if (pid <= 0)
				return Error{EINVAL, option + std::to_string(pid) + ": not a process number"};
	return std::nullopt;
}

RecordingOptions options_of(const RecordArguments& arguments)
{
	RecordingOptions options;
	options.session = session_of(arguments);
	options.target = target_of(arguments);
	return options;
}

} // namespace uwind
