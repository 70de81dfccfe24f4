// SPDX-License-Identifier: GPL-2.0
// The names of hardware, software and cache events, and of raw ones.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace uwind {

enum class SymbolKind { hardware, software, cache, raw };

// A name's event: type, config and exclude_idle are set.
struct SymbolEvent {
	SymbolKind kind;
	EventSpec event;
};

// Nothing: not one of these names. Cache events are L1-dcache-load-misses, LLC-stores, dTLB and the like: a cache, what
// is done, how it ends; the last two may be missing, and letters may be small or large. Raw ones are rHEX and
// TYPE:CONFIG.
std::optional<SymbolEvent> find_symbol_event(std::string_view name);

struct NamedEvent {
	std::string name;
	std::vector<std::string> aliases;
	EventSpec event;
};

std::vector<NamedEvent> hardware_events();
std::vector<NamedEvent> software_events();
// All that make sense, by perf's usual names.
std::vector<NamedEvent> cache_events();

} // namespace uwind
