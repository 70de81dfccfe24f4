// SPDX-License-Identifier: GPL-2.0
// Samples in speedscope's own format: a profile for each thread, all with the same frames.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

// By the format's published schema (https://www.speedscope.app/file-format-schema.json): "sampled" profiles. Samples
// without a stack are left out; times between samples are not in the format.
void write_speedscope(const Report& report, std::ostream& out);

} // namespace uwind
