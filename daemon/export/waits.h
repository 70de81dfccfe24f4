// SPDX-License-Identifier: GPL-2.0
// Times off the CPU in a terminal: who waited, why, for whom.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

// What took longest. Nothing is written where no time is in the report.
void write_waits(const Report& report, std::ostream& out);

} // namespace uwind
