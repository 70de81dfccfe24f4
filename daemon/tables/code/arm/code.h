// SPDX-License-Identifier: GPL-2.0
// Rows for 32-bit Arm code, T32 and A32, from reading the code itself: most programs
// have nothing else. x86/code.h and arm64/code.h are its counterparts.
#pragma once

#include "base/byte_cursor.h"
#include "tables/code/function.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// A longer stretch is left alone: each byte of it takes some memory meanwhile.
constexpr std::uint64_t max_read_arm_bytes = 16 << 20;

// What is known of a file beside its code. All sorted.
struct ArmCodeHints {
	std::vector<CodeFunction> functions;
	std::vector<std::uint32_t> no_return; // functions, and PLT entries of such
};

// Appends the rows of a stretch of code at an address, whose first byte has this file
// offset. No rows: functions two of whose paths disagree about a place, or that would
// not find their return address; what follows an instruction that is not understood.
void read_code_arm(Bytes code, std::uint64_t address, std::uint32_t offset, const ArmCodeHints& hints,
		   std::vector<Stretch>& stretches);

} // namespace uwind
