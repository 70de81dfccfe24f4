// SPDX-License-Identifier: GPL-2.0
// /dev/uwind: the session of the open file.
#include "base/cpu_list.h"
#include "base/handle.h"
#include "io/cgroup.h"
#include "io/device.h"
#include "io/device_call.h"
#include "io/device_counters.h"
#include "io/text_file.h"
#include "uwind.h"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace uwind {
namespace {

static_assert(most_frames == UWIND_MAX_FRAMES && default_frames == UWIND_DEFAULT_FRAMES &&
	      most_stack_bytes == UWIND_MAX_STACK_BYTES);

bool has_rate(const SessionOptions& options)
{
	return options.event == Event::cpu_clock || options.event == Event::cycles;
}

std::uint32_t flags_of(const SessionOptions& options)
{
	return UWIND_SESSION_DISABLED | (has_rate(options) && options.is_frequency ? UWIND_SESSION_FREQUENCY : 0) |
	       (has_rate(options) && options.user_only ? UWIND_SESSION_USER : 0) |
	       (options.all ? UWIND_SESSION_ALL : 0) | (options.inherit ? UWIND_SESSION_INHERIT : 0) |
	       (options.cgroup.empty() ? 0 : UWIND_SESSION_CGROUP);
}

// The pids of the options whose file in /proc this program cannot open.
std::string not_opened(const SessionOptions& options, const char* file)
{
	std::vector<std::int32_t> pids = options.targets;
	pids.insert(pids.end(), options.excludes.begin(), options.excludes.end());
	std::string text;
	for (const std::int32_t pid : pids)
		if (const UniqueFd opened(
			    ::open(("/proc/" + std::to_string(pid) + file).c_str(), O_RDONLY | O_CLOEXEC));
		    !opened)
			text += (text.empty() ? "" : ", ") + std::to_string(pid);
	return text;
}

// A thread's number can be opened in /proc, although it is not listed there.
Error no_process(const SessionOptions& options)
{
	const std::string gone = not_opened(options, "/stat");
	return Error{ESRCH, gone.empty() ? "a number given with -p or --exclude-pid is a thread's: give its process's"
					 : "no process " + gone + ": check the numbers given with -p or --exclude-pid"};
}

// The message about CPUs that the machine does not have; "": it has all of them.
std::string cpus_not_there(const SessionOptions& options)
{
	auto possible = read_text("/sys/devices/system/cpu/possible");
	if (possible && possible->ends_with('\n'))
		possible->pop_back();
	const auto there = possible ? parse_cpus(*possible) : std::nullopt;
	std::vector<std::uint32_t> missing;
	if (there)
		std::ranges::set_difference(options.cpus, *there, std::back_inserter(missing));
	return missing.empty() ? "" : "no CPU " + text_of_cpus(missing) + ": this machine has " + *possible;
}

// The kernel applies the same rule to /proc/PID/maps as the module applies to stacks.
Error not_yours(const SessionOptions& options)
{
	return Error{EACCES, "process " + not_opened(options, "/maps") +
				     ": not yours to see (another user's, or a privileged program): run as root, or "
				     "with CAP_PERFMON"};
}

// bad: which of the events an error is about.
std::string event_named(const SessionOptions& options, std::size_t bad)
{
	return bad < options.events.size() ? options.events[bad].name : name_of(options.event);
}

bool is_kernel_probe(const EventSpec& event)
{
	return event.name.starts_with("kprobe:") || event.name.starts_with("kretprobe:");
}

Error off_cpu_error(int code, const EventSpec& event)
{
	switch (code) {
	case EACCES:
		return Error{code, "event \"" + event.name +
					   "\": you may not see when others run: run as root, or with "
					   "CAP_PERFMON"};
	case ENODEV:
		return Error{code, "event \"" + event.name + "\": this kernel has no tracepoint of its scheduler"};
	default:
		return errno_error(code, "event \"" + event.name + "\"");
	}
}

// What perf_event_open() would say of one of the listed events.
Error event_error(int code, const EventSpec& event)
{
	if (event.type == off_cpu_type)
		return off_cpu_error(code, event);
	switch (code) {
	case ENODEV:
		if (is_kernel_probe(event))
			return Error{code, "event \"" + event.name +
						   "\": the kernel has no such function, or lets nobody probe it: "
						   "/proc/kallsyms has their names"};
		return Error{code, "event \"" + event.name +
					   "\": this machine does not have it: `uwind list events` shows which it has"};
	case EACCES:
	case EPERM:
		return Error{code,
			     "event \"" + event.name +
				     "\": you may not count it (kernel.perf_event_paranoid): run as root, or with "
				     "CAP_PERFMON, or try " +
				     event.name + ":u"};
	case EINVAL:
		return Error{code, "event \"" + event.name +
					   "\": the kernel refuses it with this rate, these modifiers or this filter"};
	default:
		return errno_error(code, "event \"" + event.name + "\"");
	}
}

Error start_error(int code, const SessionOptions& options, std::size_t bad)
{
	if (options.event == Event::listed && bad < options.events.size() && code != EDQUOT && code != ENOSPC)
		return event_error(code, options.events[bad]);
	switch (code) {
	case ENODEV:
		return Error{code,
			     "this machine has no event \"" + event_named(options, bad) + "\": use `-e cpu-clock`"};
	case ESRCH:
		return no_process(options);
	case EBUSY:
		return Error{code,
			     "all of the module's sessions are in use, or all that you may have without CAP_PERFMON: "
			     "see `uwind status`"};
	case EDQUOT:
	case ENOSPC:
		return Error{code, "all counters that users without CAP_PERFMON may have are in use, or not yet freed: "
				   "end other recordings, or try again later"};
	case EPERM:
		return Error{code, "no permission to sample: run as root, or with CAP_PERFMON"};
	case EACCES:
		return not_yours(options);
	case ENOENT:
		return Error{EINVAL, "cgroup " + options.cgroup + ": was just removed"};
	case EOPNOTSUPP:
		return Error{EINVAL, "cgroup " + options.cgroup + ": this kernel has no cgroups"};
	case EINVAL:
		if (const std::string missing = cpus_not_there(options); !missing.empty())
			return Error{code, missing};
		return Error{
			code,
			"the module refuses this rate or these targets; without CAP_PERFMON, also more than 10000 Hz"};
	default:
		return errno_error(code, "start the session");
	}
}

SessionStats stats_of(const uwind_session_stats& raw)
{
	SessionStats stats;
	stats.session = raw.session;
	stats.requested = raw.requested;
	stats.answered = raw.answered;
	stats.pending = raw.pending;
	stats.lost = counts<Loss, number_of_losses>(raw.lost);
	stats.stops = counts<Stop, number_of_stops>(raw.stops);
	stats.messages = raw.messages;
	stats.messages_dropped = raw.messages_dropped;
	stats.bytes = raw.bytes;
	stats.stacks_told = raw.stacks_told;
	stats.stacks_known = raw.stacks_known;
	stats.periods_missed = raw.periods_missed;
	stats.throttled = raw.throttled;
	stats.counters_failed = raw.counters_failed;
	stats.unfinished = raw.unfinished;
	stats.unfinished_refused = raw.unfinished_refused;
	stats.events = raw.events;
	stats.events_lost = raw.events_lost;
	stats.events_dropped = raw.events_dropped;
	stats.events_own = raw.events_own;
	return stats;
}

std::uint32_t to_uapi(Event event)
{
	switch (event) {
	case Event::cycles:
		return UWIND_EVENT_CYCLES;
	case Event::requests:
		return UWIND_EVENT_REQUESTS;
	case Event::listed:
		return UWIND_EVENT_LISTED;
	case Event::cpu_clock:
		break;
	}
	return UWIND_EVENT_CPU_CLOCK;
}

} // namespace

Result<StartedSession> Device::start_session(const SessionOptions& options)
{
	UniqueFd cgroup;
	if (!options.cgroup.empty()) {
		auto opened = open_cgroup(options.cgroup);
		if (!opened)
			return opened.error();
		cgroup = std::move(*opened);
	}
	const DeviceCounters counters(options);
	uwind_session_start request{};
	request.flags = flags_of(options);
	request.event = to_uapi(options.event);
	request.max_frames = options.max_frames;
	request.rate = has_rate(options) ? options.rate : 0;
	request.counters = user_pointer(counters.list().data());
	request.nr_counters = counters.list().size();
	request.targets = user_pointer(options.targets.data());
	request.nr_targets = options.targets.size();
	request.excludes = user_pointer(options.excludes.data());
	request.nr_excludes = options.excludes.size();
	request.cgroup_fd = cgroup ? cgroup.get() : 0;
	request.cpus = user_pointer(options.cpus.data());
	request.nr_cpus = options.cpus.size();
	request.stack_bytes = options.stack_bytes / 8 * 8;
	if (const int code = call(fd_.get(), UWIND_IOC_SESSION_START, request))
		return start_error(code, options, request.bad_counter);
	return StartedSession{request.session, (request.flags & UWIND_SESSION_USER) != 0, request.stack_bytes};
}

Status Device::enable_session()
{
	if (::ioctl(fd_.get(), UWIND_IOC_SESSION_ENABLE, 0) < 0)
		return errno_error(errno, "enable the session");
	return Nothing{};
}

Result<std::uint64_t> Device::ask(std::int32_t tid)
{
	uwind_session_ask request{};
	request.tid = tid;
	if (const int code = call(fd_.get(), UWIND_IOC_SESSION_ASK, request))
		return errno_error(code, "ask for the stack of thread " + std::to_string(tid));
	return request.cookie;
}

Result<SessionStats> Device::session_stats()
{
	uwind_session_stats raw{};
	if (const int code = call(fd_.get(), UWIND_IOC_SESSION_STATS, raw))
		return errno_error(code, "read the session's statistics");
	return stats_of(raw);
}

Result<SessionStats> Device::stop_session()
{
	uwind_session_stats raw{};
	if (const int code = call(fd_.get(), UWIND_IOC_SESSION_STOP, raw))
		return errno_error(code, "stop the session");
	return stats_of(raw);
}

} // namespace uwind
