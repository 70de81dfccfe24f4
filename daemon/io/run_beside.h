// SPDX-License-Identifier: GPL-2.0
// Measures beside a command that was started for it, or for a time.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "base/result.h"
#include "io/child.h"
#include "io/stop_signals.h"

namespace uwind {

// Goes on with what is done beside the command, for about so long.
using Step = std::function<Status(std::chrono::milliseconds)>;

// Lets the command execute, if there is one, and steps until it has ended, the time is over (0: there is no limit) or a
// signal has come. It does not outlive that: it gets the signal, or SIGTERM, and after two seconds SIGKILL. Returns the
// exit code: the command's, unless it was ended.
Result<int> run_beside(std::optional<Child>& child, StopSignals& signals, double duration_s, const Step& step);

} // namespace uwind
