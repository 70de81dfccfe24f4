// SPDX-License-Identifier: GPL-2.0
// A report's samples by thread, and what each of them counts: what formats for flame graphs and timelines share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/report.h"

namespace uwind {

struct ThreadSamples {
	Index process = 0; // a program image: after exec the thread is another one
	std::uint32_t pid = 0, tid = 0;
	std::vector<ReportSample> samples; // with a stack, in the order of time
};

// Samples with a stack. Not packed: these take ten times the memory of the report's.
std::vector<ReportSample> in_order_of_time(const Report& report);

// All that have such a sample, by pid, tid and image.
std::vector<ThreadSamples> threads_of(const Report& report);

// "sqlite3 17/18": program, process, thread.
std::string name_of(const Report& report, const ThreadSamples& thread);

// From where the thread began to what the kernel did for it last.
std::vector<Index> outermost_first(const Report& report, const ReportSample& sample);

// What it is of. Without an event it is a request of a BPF program or a module, or all that an older report has.
std::string event_name(const Report& report, const ReportSample& sample);

// Whether its period is a time: of a clock, or off the CPU.
bool counts_time(const Report& report, const ReportSample& sample);

enum class SampleUnit {
	ns,
	events,  // page faults, cycles
	samples, // it is not known what each stands for
};

// Of all samples with a stack: what the period of each is.
SampleUnit unit_of(const Report& report);
// How much a sample counts in that unit.
std::uint64_t value_of(const ReportSample& sample, SampleUnit unit);

} // namespace uwind
