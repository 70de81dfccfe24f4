// SPDX-License-Identifier: GPL-2.0
// What is typed after -e and --filter becomes events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/event_sources.h"

namespace uwind {

// One -e, and what --filter said after it: both in the order of the command line.
struct EventArgument {
	std::string events;
	std::vector<std::string> filters;
};

// For options in that order. EINVAL: there was no -e before this filter.
Status add_filter(std::vector<EventArgument>& arguments, std::string filter);

// At least one event, at most most_events. EINVAL: what was typed is wrong, or names nothing here; EACCES, ENOENT: the
// machine is why, and the message says what to do.
Result<std::vector<EventSpec>> parse_events(const std::vector<EventArgument>& arguments, EventSources& sources);

} // namespace uwind
