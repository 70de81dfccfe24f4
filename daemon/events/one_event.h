// SPDX-License-Identifier: GPL-2.0
// One event of a list as typed; it may stand for several.
#pragma once

#include <vector>

#include "events/split.h"
#include "port/event_sources.h"

namespace uwind {

// Errors as of parse_events().
Result<std::vector<EventSpec>> parse_event(const EventText& text, EventSources& sources);

} // namespace uwind
