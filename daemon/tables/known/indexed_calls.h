// SPDX-License-Identifier: GPL-2.0
// Where the exception index of 32-bit Arm holds for sure.
#pragma once

#include "elf/file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// The call instructions in stretches of code, in file offsets, each with its stretch's rule.
std::vector<Stretch> calls_in(const ElfFile& file, const std::vector<Stretch>& stretches);

} // namespace uwind
