// SPDX-License-Identifier: GPL-2.0
// The PMUs of a machine: what /sys/bus/event_source/devices has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/event_sources.h"

namespace uwind {

struct Pmu {
	std::string name;
	std::uint32_t type = 0;
	bool is_core = false; // of CPUs: hardware and cache events are its
};

// Where a term's value goes: "config:0-7,32-35".
struct PmuFormat {
	unsigned word = 0;      // config, config1 or config2
	std::uint64_t bits = 0; // of that word, lowest first
};

std::vector<std::string> pmu_names(EventSources& sources);
// ENOENT: this machine has none of that name.
Result<Pmu> find_pmu(EventSources& sources, const std::string& name);
// Several: CPUs of several kinds.
std::vector<Pmu> core_pmus(EventSources& sources);
// By name, by pattern, or without uncore_ and the number at the end, as in perf; "cpu" is any of CPUs if no PMU has
// that name.
std::vector<Pmu> matching_pmus(EventSources& sources, std::string_view name);

// Terms and named events; empty: it has none.
std::vector<std::string> pmu_terms(EventSources& sources, const std::string& pmu);
std::vector<std::string> pmu_events(EventSources& sources, const std::string& pmu);
// ENOENT: no such term; EINVAL: the kernel describes it in a way that is not understood.
Result<PmuFormat> pmu_format(EventSources& sources, const std::string& pmu, const std::string& term);
// The terms that a named event stands for. ENOENT: no such event.
Result<std::string> pmu_event_terms(EventSources& sources, const std::string& pmu, const std::string& event);

// Nothing: it has another form.
std::optional<PmuFormat> parse_format(std::string_view text);
// Sets the format's bits of a word. Nothing: value has more bits than the format.
std::optional<std::uint64_t> with_value(std::uint64_t word, const PmuFormat& format, std::uint64_t value);

} // namespace uwind
