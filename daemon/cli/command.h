// SPDX-License-Identifier: GPL-2.0
// The command that follows "--".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/child.h"

namespace uwind {

// Gets it ready to start; an empty one leaves child empty. Returns the exit code if it cannot start, which is said.
std::optional<int> prepare_command(const std::vector<std::string>& command, std::optional<Child>& child);

} // namespace uwind
