// SPDX-License-Identifier: GPL-2.0
// A report as records of perf.data, in the order of their times.
#pragma once

#include <functional>
#include <linux/perf_event.h>
#include <string_view>

#include "model/report.h"

namespace uwind {

// What all records of such a file have of a sample (perf_event_attr.sample_type).
inline constexpr std::uint64_t perf_sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						  PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						  PERF_SAMPLE_CALLCHAIN;
// Frames of a sample that its record has room for; the outermost of a longer stack are left out.
inline constexpr std::size_t perf_sample_max_frames = 8000;

// Each record with its size as a whole. An event's identifier is its place in events_of() and 1.
void each_perf_record(const Report& report, const std::function<void(std::string_view)>& visit);

} // namespace uwind
