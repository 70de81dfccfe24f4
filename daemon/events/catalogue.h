// SPDX-License-Identifier: GPL-2.0
// What this machine has: uwind list events.
#pragma once

#include <string>
#include <vector>

#include "port/event_sources.h"

namespace uwind {

// Grouped by kind. patterns: only names or kinds that one of them matches; one without a wildcard is looked for
// anywhere in them. None: all.
EventList list_events(EventSources& sources, const std::vector<std::string>& patterns);

} // namespace uwind
