// SPDX-License-Identifier: GPL-2.0
// The tracepoints of a machine.
#include "events/tracepoints.h"

#include <algorithm>
#include <cerrno>

#include "events/glob.h"
#include "events/perf_types.h"
#include "events/text_parts.h"

namespace uwind {
namespace {

bool is_name(std::string_view text)
{
	return !text.empty() && text.find('/') == std::string_view::npos && text[0] != '.';
}

// Folders of tracefs have files of their own in between: enable, filter, header_page.
bool is_folder(const std::string& name)
{
	return name != "enable" && name != "filter" && !name.starts_with("header_");
}

Result<std::vector<std::string>> folders_in(EventSources& sources, const std::string& folder)
{
	auto names = sources.list(folder);
	if (!names)
		return names.error().code == EACCES ? no_tracing(names.error()) : names.error();
	std::erase_if(*names, [](const std::string& name) { return !is_folder(name); });
	return names;
}

std::vector<std::string> matching(const std::vector<std::string>& names, std::string_view pattern)
{
	std::vector<std::string> found;
	for (const std::string& name : names)
		if (name_matches(pattern, name))
			found.push_back(name);
	return found;
}

Error no_subsystem(std::string_view subsystem, const std::vector<std::string>& known)
{
	if (subsystem == "syscalls")
		return Error{ENOENT,
			     "this kernel has no tracepoints of system calls: CONFIG_FTRACE_SYSCALLS is not set"};
	return Error{EINVAL,
		     "no event, and no tracepoints of a subsystem, is called " + with_nearest(subsystem, known)};
}

Error too_many(const std::string& pattern, std::size_t found, std::size_t most)
{
	return Error{EINVAL, "'" + pattern + "' matches " + std::to_string(found) +
				     " tracepoints; a session has at most " + std::to_string(most) + " events"};
}

Result<std::string> folder_of(EventSources& sources, const TracepointName& tracepoint)
{
	const auto tracing = sources.tracing();
	if (!tracing)
		return no_tracing(tracing.error());
	return *tracing + "/events/" + tracepoint.subsystem + "/" + tracepoint.name;
}

Result<std::string> read_file(EventSources& sources, const TracepointName& tracepoint, const char* file)
{
	const auto folder = folder_of(sources, tracepoint);
	if (!folder)
		return folder.error();
	auto text = sources.read(*folder + "/" + file);
	if (!text && text.error().code == EACCES)
		return no_tracing(text.error());
	return text;
}

Result<std::vector<TracepointName>> in_subsystems(EventSources& sources, const std::string& events,
						  const std::vector<std::string>& subsystems, std::string_view name)
{
	std::vector<TracepointName> found;
	std::vector<std::string> others;
	for (const std::string& one : subsystems) {
		const auto names = folders_in(sources, events + "/" + one);
		if (!names)
			return names.error();
		for (const std::string& match : matching(*names, name))
			found.push_back({one, match});
		others.insert(others.end(), names->begin(), names->end());
	}
	if (!found.empty())
		return found;
	const std::string where = subsystems.size() == 1 ? subsystems[0] : "these subsystems";
	return Error{EINVAL, "no tracepoint of " + where + " is called " + with_nearest(name, others)};
}

} // namespace

Error no_tracing(const Error& error)
{
	switch (error.code) {
	case ENODEV:
		return Error{ENOENT, "tracepoints are read from tracefs, which is not mounted: mount -t tracefs "
				     "tracefs /sys/kernel/tracing"};
	case EACCES:
	case EPERM:
		return Error{
			EACCES,
			"tracepoints are read from tracefs, which this user may not read: be root, or mount it with "
			"mode=755: mount -o remount,mode=755 /sys/kernel/tracing"};
	case ENOENT:
		return Error{ENOENT, "this kernel has no tracefs: CONFIG_TRACING and CONFIG_EVENT_TRACING are not set"};
	default:
		return error;
	}
}

Result<std::vector<TracepointName>> find_tracepoints(EventSources& sources, std::string_view subsystem,
						     std::string_view name, std::size_t most)
{
	const std::string pattern = std::string(subsystem) + ":" + std::string(name);
	if (!is_name(subsystem) || !is_name(name))
		return Error{EINVAL, "'" + pattern + "' is no event"};
	const auto tracing = sources.tracing();
	if (!tracing)
		return no_tracing(tracing.error());
	const std::string events = *tracing + "/events";
	const auto known = folders_in(sources, events);
	if (!known)
		return known.error();
	const auto subsystems = matching(*known, subsystem);
	if (subsystems.empty())
		return no_subsystem(subsystem, *known);
	auto found = in_subsystems(sources, events, subsystems, name);
	if (found && found->size() > most)
		return too_many(pattern, found->size(), most);
	return found;
}

Result<EventSpec> tracepoint_event(EventSources& sources, const TracepointName& tracepoint)
{
	const std::string name = tracepoint.subsystem + ":" + tracepoint.name;
	const auto text = read_file(sources, tracepoint, "id");
	if (!text && text.error().code == EACCES)
		return text.error();
	const auto id = text ? parse_integer(trimmed(*text)) : std::nullopt;
	if (!id)
		return Error{EINVAL, name + " is for the kernel's own log only: it has no number for perf"};
	EventSpec event;
	event.name = event.tracepoint = name;
	event.type = perf_type_tracepoint;
	event.config = *id;
	event.is_tracepoint = event.each_time = true;
	return event;
}

Result<std::string> tracepoint_format(EventSources& sources, const TracepointName& tracepoint)
{
	auto text = read_file(sources, tracepoint, "format");
	return text ? text : Result<std::string>(text.error(tracepoint.subsystem + ":" + tracepoint.name));
}

} // namespace uwind
