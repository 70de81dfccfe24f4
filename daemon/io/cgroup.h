// SPDX-License-Identifier: GPL-2.0
// Control groups of version 2, by their paths.
#pragma once

#include <string>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// The folder of a cgroup. path is one below the place where the file system cgroup2 is
// mounted, or the folder's own. EINVAL: there is none, or it is not of version 2.
Result<UniqueFd> open_cgroup(const std::string& path, const std::string& mounts = "/proc/self/mounts");

} // namespace uwind
