// SPDX-License-Identifier: GPL-2.0
// Samples as a profile for the Firefox Profiler.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

// In its "processed profile format", version 48, as its docs-developer/processed-profile-format.md and
// CHANGELOG-formats.md describe it; later versions of the profiler read earlier formats. A thread has tables of its
// own, with what its samples need. Samples without a stack are left out.
void write_firefox(const Report& report, std::ostream& out);

} // namespace uwind
