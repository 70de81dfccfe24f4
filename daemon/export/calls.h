// SPDX-License-Identifier: GPL-2.0
// Calls of the kernel's functions in a terminal: how many, and how long they took.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

// What took longest, or was called most often. Nothing is written where no call is in the report.
void write_calls(const Report& report, std::ostream& out);

} // namespace uwind
