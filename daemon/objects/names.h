// SPDX-License-Identifier: GPL-2.0
// The names of a file's functions.
#pragma once

#include "elf/file.h"
#include "port/objects.h"

namespace uwind {

// The functions of the symbol table of that section type.
std::vector<Symbol> functions_in(const ElfFile& file, std::uint32_t type);

} // namespace uwind
