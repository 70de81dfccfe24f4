// SPDX-License-Identifier: GPL-2.0
// Probes by name: kprobe:SYMBOL, uprobe:PATH:SYMBOL, usdt:PATH:PROVIDER:NAME.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/event_sources.h"

namespace uwind {

struct ProbeEvents {
	std::vector<EventSpec> events; // several: a static probe that stands at several places
	std::string modifiers;         // "": none
};

// text: is_probe_text(). EINVAL: no such symbol, or another form; ENOENT: no such file, or the kernel lacks these
// probes.
Result<ProbeEvents> parse_probe(EventSources& sources, std::string_view text);

struct ProbeForm {
	const char* form; // "kprobe:SYMBOL[+OFFSET]"
	const char* pmu;
	const char* option; // of the kernel
};

std::vector<ProbeForm> probe_forms();

} // namespace uwind
