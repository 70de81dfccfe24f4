// SPDX-License-Identifier: GPL-2.0
// Samples in pprof's format (profile.proto), as its readers expect it: compressed by gzip.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

// Each sample with a stack, with its labels: pid, tid, cpu, comm, off_cpu (why the thread was off its CPU), and
// timestamp_ns (ns since the machine started). Each event has two values: EVENT_samples, which is the weight, and
// EVENT, its period in ns or as a count, unless that is not known. A caller's address is within its call. The same
// report gives the same bytes. Takes no more memory than the report's frames and names.
void write_pprof(const Report& report, std::ostream& out);

} // namespace uwind
