// SPDX-License-Identifier: GPL-2.0
// The options of uwind record, and the recording that they describe.
#include "cli/record_arguments.h"

#include <algorithm>

#include "base/cpu_list.h"
#include "events/functions.h"
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

// What was recorded is called by the command's name alone.
std::string target_of(const RecordArguments& arguments)
{
	if (means_all(arguments))
		return "all";
	return arguments.command.empty() ? "pid " + joined(arguments.pids) : "command " + arguments.command.front();
}

bool only_user(const std::vector<EventSpec>& events)
{
	return std::all_of(events.begin(), events.end(), [](const EventSpec& event) { return event.exclude_kernel; });
}

bool is_simple_clock(const EventSpec& event)
{
	return event.name == "cpu-clock" || event.name == "cpu-clock:u";
}

// A clock alone and no kernel stacks need no list; what BPF programs and modules request comes with every session.
void set_events(std::vector<EventSpec> events, bool kernel_stacks, SessionOptions& session)
{
	std::erase_if(events, [](const EventSpec& event) { return event.is_requests; });
	session.event = Event::requests;
	if (events.empty())
		return;
	session.user_only = only_user(events);
	session.kernel_stacks = kernel_stacks && !session.user_only;
	session.event = Event::cpu_clock;
	if (events.size() == 1 && is_simple_clock(events.front()) && !events.front().rate && !session.kernel_stacks)
		return;
	session.event = Event::listed;
	session.events = std::move(events);
}

SessionOptions session_of(const RecordArguments& arguments, std::vector<EventSpec> events)
{
	SessionOptions session;
	for (EventSpec& event : events)
		event.each_time = event.each_time && !arguments.frequency && !arguments.period;
	set_events(std::move(events), arguments.kernel_stacks, session);
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
	verb.add_option_function<std::vector<std::string>>(
		    "-e,--event",
		    [&arguments](const std::vector<std::string>& events) {
			    for (const std::string& event : events)
				    arguments.events.push_back({event, {}});
		    },
		    "What triggers a sample: perf's events, and probes; uwind-events(7) has the syntax (default: "
		    "cpu-clock)")
		->take_all()
		->trigger_on_parse()
		->expected(1);
	verb.add_option_function<std::vector<std::string>>(
		    "--filter",
		    [&arguments](const std::vector<std::string>& filters) {
			    for (const std::string& filter : filters)
				    if (const auto added = add_filter(arguments.events, filter); !added)
					    throw CLI::ValidationError("--filter", added.error().message);
		    },
		    "Which of the events of the -e before it count: the kernel's syntax of filters of tracepoints")
		->take_all()
		->trigger_on_parse()
		->expected(1);
	verb.add_flag("--force", arguments.force,
		      "Trace functions of the kernel (func:PATTERN), however many they are");
	verb.add_flag("--kernel-stacks", arguments.kernel_stacks,
		      "Also what the kernel did for the thread; needs CAP_PERFMON");
	auto* frequency =
		verb.add_option("-F,--frequency", arguments.frequency,
				"Samples per second of each CPU, or without privilege of each thread (default: 99)")
			->check(CLI::Range(1, 100'000));
	verb.add_option("-c,--count", arguments.period, "One sample every COUNT ns of a clock, or events")
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
	verb.add_flag("--stack-depth", arguments.stack_depth,
		      "The report says how deep each thread's stack was, and which frames are the largest");
	verb.add_flag("--no-arguments", arguments.no_arguments,
		      "The report does not have the arguments of processes, which may be secrets");
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

namespace {

// Arguments that contradict each other. Nothing: there are none.
std::optional<Error> wrong(const RecordArguments& arguments)
{
	const int targets = means_all(arguments) + !arguments.pids.empty() + !arguments.command.empty();
	if (targets != 1)
		return Error{EINVAL, "say what to record: -a, -p PID,... or -- COMMAND ARG..."};
	for (const auto& [option, pids] :
	     {std::pair("-p ", &arguments.pids), std::pair("--exclude-pid ", &arguments.excluded)})
		for (const auto pid : *pids)
			if (pid <= 0)
				return Error{EINVAL, option + std::to_string(pid) + ": not a process number"};
	return std::nullopt;
}

} // namespace

Result<RecordingOptions> options_of(const RecordArguments& arguments, EventSources& sources)
{
	if (const auto error = wrong(arguments))
		return *error;
	auto typed = arguments.events;
	if (typed.empty())
		typed.push_back({"cpu-clock", {}});
	auto events = parse_events(typed, sources);
	if (!events)
		return events.error();
	for (const EventSpec& event : *events)
		if (const auto few = check_few_functions(event); !few && !arguments.force)
			return few.error();
	RecordingOptions options;
	options.session = session_of(arguments, std::move(*events));
	options.target = target_of(arguments);
	options.stack_depth = arguments.stack_depth;
	options.no_arguments = arguments.no_arguments;
	if (options.session.event == Event::requests && (arguments.frequency || arguments.period))
		return Error{EINVAL, "-e requests has no frequency and no period: leave out -F and -c"};
	return options;
}

} // namespace uwind
