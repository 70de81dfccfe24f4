// SPDX-License-Identifier: GPL-2.0
// What files below /proc/PID say, as text.
#pragma once

#include <optional>
#include <string_view>

#include "model/process_details.h"

namespace uwind {

// Of /proc/PID/status and cgroup: its numbers and its cgroup of version 2. Nothing: this is no status.
std::optional<ProcessDetails> details_in(std::string_view status, std::string_view cgroups);

// Of /proc/PID/cmdline: the first 512 bytes of it.
std::vector<std::string> arguments_in(std::string_view cmdline);

} // namespace uwind
