// SPDX-License-Identifier: GPL-2.0
// Rows for procedure linkage tables, which linkers often leave without CFI.
#pragma once

#include "elf/file.h"
#include "elf/segments.h"
#include "tables/row_builder.h"

namespace uwind {

// All of the file's PLT sections, found by name and recognised by their instructions.
std::vector<Stretch> plt_stretches(const ElfFile& file);

// Where .sframe contradicts what else is known of the file's PLTs, take what is known:
// ld 2.44 to 2.47 are 8 bytes off in .plt.got, ld 2.40 in PLTs that begin with endbr64.
// Right rows are kept. False: there is nothing wrong.
bool correct_plt(TableRows& sframe, const TableRows& known, const ElfFile& file);

} // namespace uwind
