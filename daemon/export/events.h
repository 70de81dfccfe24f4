// SPDX-License-Identifier: GPL-2.0
// A machine's events as text, a name and a kind per line.
#pragma once

#include <iosfwd>

#include "model/event.h"

namespace uwind {

void write_events(const std::vector<ListedEvent>& events, std::ostream& out);

} // namespace uwind
