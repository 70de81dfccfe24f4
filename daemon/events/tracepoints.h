// SPDX-License-Identifier: GPL-2.0
// The tracepoints of a machine: what tracefs has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/event_sources.h"

namespace uwind {

// The kernel's "subsystem:name".
struct TracepointName {
	std::string subsystem, name;
};

// Those that match, sorted; both parts may be patterns, and are names if they have no wildcard. EINVAL: none matches,
// or more than `most`; EACCES, ENOENT: tracefs is not readable, not mounted, or not in the kernel: the message says
// what to do.
Result<std::vector<TracepointName>> find_tracepoints(EventSources& sources, std::string_view subsystem,
						     std::string_view name, std::size_t most);

// Type and config are set.
Result<EventSpec> tracepoint_event(EventSources& sources, const TracepointName& tracepoint);

// What its file `format` says.
Result<std::string> tracepoint_format(EventSources& sources, const TracepointName& tracepoint);

// What to do where port's tracing() failed.
Error no_tracing(const Error& error);

} // namespace uwind
