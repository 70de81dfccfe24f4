// SPDX-License-Identifier: GPL-2.0
// Rows for arm64 code that has no CFI, from reading the code itself: assembly, the
// vDSO, what compilers put around a program's main(). x86/code.h is its counterpart.
#pragma once

#include "base/byte_cursor.h"
#include "tables/code/function.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// A longer stretch is left alone.
constexpr std::uint64_t max_read_arm64_bytes = 8 << 20;

// Appends the rows of a stretch of code at an address, whose first byte has this file
// offset. Functions begin at those places, where calls go, and after what never falls through, but not inside of those
// whose size is known.
// No rows: functions two of whose paths disagree, or that return with a frame; what follows an instruction that is not
// understood.
void read_code_arm64(Bytes code, std::uint64_t address, std::uint32_t offset, const CodeHints& hints,
		     std::vector<Stretch>& stretches);

} // namespace uwind
