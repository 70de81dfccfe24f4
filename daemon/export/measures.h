// SPDX-License-Identifier: GPL-2.0
// A report's events, and what the samples of each count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/report.h"

namespace uwind {

// The session's events, and "requests" if samples are of those.
std::vector<ReportEvent> events_of(const Report& report);
// Which of them a sample is of.
std::size_t event_index(const Report& report, const ReportSample& sample);

struct Measure {
	std::size_t event = 0;    // of events_of()
	std::string name;         // the event's
	bool is_time = false;     // periods are ns
	bool has_periods = true;  // of all its samples; else only their weights are known
	std::uint64_t period = 0; // between two samples, in the same unit; 0: not known

	const char* unit() const { return is_time ? "nanoseconds" : "count"; }
};

// Of each event that has samples with a stack, in the order of events; of none the first one.
std::vector<Measure> measures_of(const Report& report);

// Periods and weights of formats that know signed numbers alone.
std::int64_t as_signed(std::uint64_t value);

} // namespace uwind
