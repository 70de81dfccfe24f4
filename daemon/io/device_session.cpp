// SPDX-License-Identifier: GPL-2.0
// /dev/uwind: the session of the open file.
#include "base/handle.h"
#include "io/device.h"
#include "io/device_call.h"
#include "uwind.h"

#include <fcntl.h>

#include <string>
#include <vector>

namespace uwind {
namespace {

std::uint32_t flags_of(const SessionOptions& options)
{
	return UWIND_SESSION_DISABLED | (options.is_frequency ? UWIND_SESSION_FREQUENCY : 0) |
	       (options.all ? UWIND_SESSION_ALL : 0) | (options.inherit ? UWIND_SESSION_INHERIT : 0);
}

// The kernel decides who may read a process's memory map as the module decides whose stacks it gives.
std::string unseen(const std::vector<std::int32_t>& targets)
{
	std::string pids;
	for (const std::int32_t pid : targets)
		if (const UniqueFd maps(
			    ::open(("/proc/" + std::to_string(pid) + "/maps").c_str(), O_RDONLY | O_CLOEXEC));
		    !maps)
			pids += (pids.empty() ? "" : ", ") + std::to_string(pid);
	return pids;
}

Error start_error(int code, const SessionOptions& options)
{
	switch (code) {
	case ENODEV:
		return Error{code, std::string("this machine has no event \"") + name_of(options.event) +
					   "\": use `-e cpu-clock`"};
	case ESRCH:
		return Error{code, "no such process: check the numbers given with -p"};
	case EBUSY:
		return Error{code, "all of the module's sessions are taken: see `uwind status`"};
	case EPERM:
		return Error{code, "no permission to sample: run as root, or with CAP_PERFMON"};
	case EACCES:
		return Error{code,
			     "process " + unseen(options.targets) +
				     ": not yours to see (another user's, or a privileged program): run as root, or "
				     "with CAP_PERFMON"};
	case EINVAL:
		return Error{code,
			     "the module refuses this rate or these targets; without CAP_PERFMON, more than 10000 Hz"};
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
	return stats;
}

} // namespace

Result<std::uint32_t> Device::start_session(const SessionOptions& options)
{
	uwind_session_start request{};
	request.flags = flags_of(options);
	request.event = options.event == Event::cycles ? UWIND_EVENT_CYCLES : UWIND_EVENT_CPU_CLOCK;
	request.max_frames = options.max_frames;
	request.rate = options.rate;
	request.targets = user_pointer(options.targets.data());
	request.nr_targets = options.targets.size();
	if (const int code = call(fd_.get(), UWIND_IOC_SESSION_START, request))
		return start_error(code, options);
	return request.session;
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
