// SPDX-License-Identifier: GPL-2.0
// A list of events as typed: {a,b}:u,c becomes a, b and c.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uwind {

struct EventText {
	std::string text;      // one event, with its own modifiers
	std::string modifiers; // of the group that it is in
};

// Commas between two slashes (PMU/term,term/) separate no events, nor does one after a backslash. EINVAL: empty places,
// braces or slashes without partner.
Result<std::vector<EventText>> split_events(std::string_view text);

// Events whose slashes are parts of paths, and whose backslashes make the next character an ordinary one.
bool is_probe_text(std::string_view text);

// The parts between colons that no backslash stands before; backslashes are removed.
std::vector<std::string> cut_probe(std::string_view text);

} // namespace uwind
