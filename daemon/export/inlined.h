// SPDX-License-Identifier: GPL-2.0
// Inlined functions as frames of their own.
#pragma once

#include "model/report.h"

namespace uwind {

// Puts a frame for each inlined function into all stacks, inside the frame that has its code. Nothing of a stack's
// bytes is theirs, and they have their frame's method. For formats that know stacks as lists of functions.
void expand_inlined(Report& report);

// Leaves them out.
void forget_inlined(Report& report);

// The functions that a frame's address is in, innermost first; the last is the one that has the code. Empty: none is
// known. For formats that know a place as several lines.
std::vector<ReportInlined> functions_at(const Report& report, Index frame);

} // namespace uwind
