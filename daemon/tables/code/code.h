// SPDX-License-Identifier: GPL-2.0
// Rows for code that has no CFI, from reading the code itself.
#pragma once

#include "elf/file.h"
#include "tables/code/function.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// Rows for the code sections' stretches that no row of table covers. known: functions,
// besides those at the file's symbols.
std::vector<Stretch> code_stretches(const ElfFile& file, const TableRows& table,
				    const std::vector<CodeFunction>& known = {});

} // namespace uwind
