// SPDX-License-Identifier: GPL-2.0
// Samples as `perf script` prints them, for programs that read that: stackcollapse-perf.pl, inferno, speedscope.
#pragma once

#include <cstdint>
#include <iosfwd>

#include "base/result.h"
#include "model/report.h"

namespace uwind {

// Of one text: those programs count records, so a sample has as many as its weight says.
constexpr std::uint64_t perf_script_max_records = 16 << 20;

// How many records there are to write: the sum of the weights of samples with a stack.
std::uint64_t perf_script_records(const Report& report);

// EINVAL: they are more than perf_script_max_records.
Status check_perf_script(const Report& report);

// A record is "COMM PID/TID [CPU] SECONDS: PERIOD EVENT: ", a line for each frame, kernel frames first, innermost
// first, and an empty line; in the order of time. Samples without a stack are left out, since readers would count
// them as a stack of their own.
void write_perf_script(const Report& report, std::ostream& out);

} // namespace uwind
