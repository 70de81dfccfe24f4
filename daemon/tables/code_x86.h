// SPDX-License-Identifier: GPL-2.0
// Rows for x86 code that has no CFI, from reading the code itself. code_arm64.h is its twin.
#pragma once

#include "model/table_rows.h"
#include "tables/byte_cursor.h"
#include "tables/code_function.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// A longer stretch is left alone: each byte of it takes some memory meanwhile.
constexpr std::uint64_t max_read_x86_bytes = 1 << 20;

// Appends the rows of a stretch of code at an address, whose first byte has this file
// offset. Functions begin at those places (sorted), where calls go, and behind those whose
// size is known where code is aligned and returns well. What only a computed jump of a
// function can reach has the frame of that jump.
// No rows: functions of which two paths see a place differently, or that would not find
// their return address; what follows an instruction that is not understood.
void read_code_x86(Bytes code, std::uint64_t address, std::uint32_t offset, Arch arch,
		   const std::vector<CodeFunction>& functions, std::vector<Stretch>& stretches);

// Appends where the calls in a stretch of code go.
void find_calls_x86(Bytes code, std::uint64_t address, Arch arch, std::vector<CodeFunction>& functions);

// Does a function push a register? Its instructions are read one behind the other.
bool pushes_x86(Bytes code, Arch arch);

// Does it give RBP (EBP) another value: by lea, mov, pop or leave? The same.
bool changes_fp_x86(Bytes code, Arch arch);

} // namespace uwind
