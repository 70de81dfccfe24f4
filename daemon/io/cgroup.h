// SPDX-License-Identifier: GPL-2.0
// Control groups of version 2, by their paths.
#pragma once

#include <string>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// Opens the folder of a cgroup. path begins where the file system cgroup2 is mounted, or
// is the folder's full path. EINVAL: there is none, or it is not of version 2.
Result<UniqueFd> open_cgroup(const std::string& path, const std::string& mounts = "/proc/self/mounts");

} // namespace uwind
