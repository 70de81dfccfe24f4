// SPDX-License-Identifier: GPL-2.0
// What /proc says of the stack of a process' first thread.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/stack_room.h"

namespace uwind {

// From the text of /proc/PID/maps and of /proc/PID/limits. EINVAL: one of them does not say it.
Result<StackRoom> stack_room_in(std::string_view maps, std::string_view limits);

} // namespace uwind
