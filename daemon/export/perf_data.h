// SPDX-License-Identifier: GPL-2.0
// Samples as a perf.data file, which perf report, perf script and perf annotate open.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

// One record for each sample with a stack, with its whole period, or its weight if that is not known. A caller's
// address is within its call. Names are not in the file: perf takes them from the files that are mapped.
void write_perf_data(const Report& report, std::ostream& out);

} // namespace uwind
