// SPDX-License-Identifier: GPL-2.0
// The event of threads that were off their CPUs.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/event.h"

namespace uwind {

inline constexpr std::string_view off_cpu_name = "offcpu";

// terms: what stands between the slashes: period (ns), limit, wakers, name. EINVAL.
Result<EventSpec> parse_off_cpu(std::string_view terms);

} // namespace uwind
