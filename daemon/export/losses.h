// SPDX-License-Identifier: GPL-2.0
// What formats have no place for: why there is no stack, and why stacks are not complete.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/report.h"

namespace uwind {

using Reasons = std::map<std::string, std::uint64_t>; // none has 0

// Of the whole recording, whatever samples were chosen of it. "pending": they had no answer yet when it ended.
Reasons lost_requests(const Report& report);
Reasons incomplete_stacks(const Report& report);

} // namespace uwind
