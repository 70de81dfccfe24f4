// SPDX-License-Identifier: GPL-2.0
// Where the dynamic loader looks for a library.
#pragma once

#include <string>
#include <vector>

#include "model/table_rows.h"

namespace uwind {

constexpr std::size_t max_libraries = 256; // of one program

// Paths to try, in order. folders: DT_RPATH and DT_RUNPATH as the file has them.
std::vector<std::string> library_candidates(const std::string& name, const std::string& needed_by,
					    const std::vector<std::string>& folders, Arch arch);

} // namespace uwind
