// SPDX-License-Identifier: GPL-2.0
// Rows for arm64 code that has no CFI, from reading the code itself: assembly, the
// vDSO, what compilers put around a program's main().
#pragma once

#include "tables/elf_file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// A longer stretch without rows than this is left alone.
constexpr std::uint64_t max_read_code_bytes = 8 << 20;

// Rows for the code sections' stretches that no row of table covers. Functions
// begin at symbols, where calls go, and behind what never falls through. What two
// paths see differently, and what follows an instruction that is not understood,
// gets no row.
std::vector<Stretch> code_stretches(const ElfFile& file, const TableRows& table);

} // namespace uwind
