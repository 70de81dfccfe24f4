// SPDX-License-Identifier: GPL-2.0
// Samples as a timeline in Chrome's trace event format, which Perfetto's and Chrome's viewers read.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

// By the published "Trace Event Format", its JSON Object Format: begins and ends (B, E) of each frame of a thread's
// stacks, and names (M) of processes and threads. Times are the samples' own, in us.
//
// A sample stands for the time before it: off the CPU for as long as that was, of a clock or a frequency for a period,
// but not for what the thread's sample before it stands for. Frames that it has in common with that one go on if at
// most half a period lies between, and the thread has not executed another program. A return of a function of the
// kernel is that call. What else happens at one moment is an instant (i), with the stack in its arguments.
void write_chrome_trace(const Report& report, std::ostream& out);

} // namespace uwind
