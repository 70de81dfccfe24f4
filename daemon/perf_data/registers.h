// SPDX-License-Identifier: GPL-2.0
// The registers that perf copies, in the order of DWARF's numbers.
#pragma once

#include "base/byte_cursor.h"
#include "model/unfinished.h"

namespace uwind::perf_data {

// Where a register of perf's numbering is kept.
enum : int { not_kept = -1, is_pc = -2 };

// arch: of the code that ran. number: of perf's (asm/perf_regs.h), which says for 32-bit code the same places.
int place_of(Arch arch, unsigned number);

// What a walk begins with. mask: the registers that values has, in ascending order of perf's numbers. Nothing that
// makes no walk possible is invented: without pc or SP the walk says so.
Unfinished first_frame(Arch arch, std::uint64_t mask, ByteCursor& values);

} // namespace uwind::perf_data
