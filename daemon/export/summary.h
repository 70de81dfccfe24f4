// SPDX-License-Identifier: GPL-2.0
// A report in a terminal: programs, how complete, why not, hottest and deepest stacks.
#pragma once

#include <iosfwd>
#include <string>

#include "model/report.h"

namespace uwind {

void write_summary(const Report& report, std::ostream& out);

// One line for the end of a recording: samples, percent complete, why not, what
// to do.
std::string closing_line(const Report& report, const std::string& file);

} // namespace uwind
