// SPDX-License-Identifier: GPL-2.0
// Lines of /proc/PID/maps.
#pragma once

#include <optional>
#include <string_view>

#include "model/records.h"

namespace uwind {

// The executable mapping of a file that a line describes. Nothing: any other line.
std::optional<Mapping> parse_maps_line(std::string_view line);

} // namespace uwind
