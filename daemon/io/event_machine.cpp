// SPDX-License-Identifier: GPL-2.0
// This machine's events.
#include "io/event_machine.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <linux/perf_event.h>
#include <memory>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/handle.h"
#include "io/probe_file.h"
#include "io/text_file.h"

namespace uwind {
namespace {

constexpr std::size_t most_text = 64 << 20; // /proc/kallsyms

perf_event_attr attributes_of(const EventSpec& event)
{
	perf_event_attr attributes{};
	attributes.size = sizeof(attributes);
	attributes.type = event.type;
	attributes.config = event.config;
	attributes.config1 = event.config1_text.empty() ? event.config1
							: reinterpret_cast<std::uintptr_t>(event.config1_text.c_str());
	attributes.config2 = event.config2;
	attributes.bp_type = event.bp_type;
	attributes.disabled = 1;
	attributes.exclude_user = event.exclude_user;
	attributes.exclude_kernel = event.exclude_kernel;
	attributes.exclude_hv = event.exclude_hv;
	attributes.exclude_host = event.exclude_host;
	attributes.exclude_guest = event.exclude_guest;
	attributes.exclude_idle = event.exclude_idle;
	attributes.precise_ip = event.precise & 3u;
	return attributes;
}

} // namespace

Result<std::string> EventMachine::read(const std::string& path)
{
	return read_text(path, most_text);
}

Result<std::vector<std::string>> EventMachine::list(const std::string& folder)
{
	const std::unique_ptr<DIR, FreeWith<&::closedir>> open(::opendir(folder.c_str()));
	if (!open)
		return errno_error(errno, folder);
	std::vector<std::string> names;
	while (const dirent* entry = ::readdir(open.get()))
		if (entry->d_name[0] != '.')
			names.emplace_back(entry->d_name);
	std::sort(names.begin(), names.end());
	return names;
}

// Older machines have it below debugfs only.
Result<std::string> EventMachine::tracing()
{
	bool there = false, forbidden = false;
	for (const char* place : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) {
		const std::string events = std::string(place) + "/events";
		if (::access(events.c_str(), R_OK | X_OK) == 0)
			return std::string(place);
		forbidden |= errno == EACCES;
		there |= ::access(place, F_OK) == 0;
	}
	if (forbidden)
		return errno_error(EACCES, "/sys/kernel/tracing");
	return errno_error(there ? ENODEV : ENOENT, "/sys/kernel/tracing");
}

// A PMU of other devices than CPUs counts no single process: its events are tried on the first CPU.
Status EventMachine::try_event(const EventSpec& event)
{
	perf_event_attr attributes = attributes_of(event);
	int failed = 0;
	for (const auto& [pid, cpu] : {std::pair(0, -1), std::pair(-1, 0)}) {
		const UniqueFd fd(static_cast<int>(
			::syscall(SYS_perf_event_open, &attributes, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
		if (fd)
			return Nothing{};
		if (failed = errno; failed != EINVAL)
			break;
	}
	return errno_error(failed, event.name);
}

Result<ProbeFile> EventMachine::probe_file(const std::string& path)
{
	return read_probe_file(path);
}

} // namespace uwind
