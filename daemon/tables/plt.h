// SPDX-License-Identifier: GPL-2.0
// Rows for procedure linkage tables, which linkers often leave without CFI.
#pragma once

#include "tables/elf_file.h"
#include "tables/row_builder.h"

namespace uwind {

// All of the file's PLT sections, found by name and told apart by instructions.
std::vector<Stretch> plt_stretches(const ElfFile& file);

} // namespace uwind
