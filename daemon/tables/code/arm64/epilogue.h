// SPDX-License-Identifier: GPL-2.0
// Ends of arm64 functions, read backwards.
#pragma once

#include "base/byte_cursor.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// Appends rows for the straight code that leads to each return, and to each jump before
// which the return address is restored, as far back as it only restores registers, gives
// stack back or computes: at its end nothing of a frame is left, so what each instruction
// undoes was there. This holds on every path, whatever CFI says. code begins at this file
// offset.
void read_epilogues_arm64(Bytes code, std::uint32_t offset, std::vector<Stretch>& stretches);

} // namespace uwind
