// SPDX-License-Identifier: GPL-2.0
// What a file's functions are called.
#pragma once

#include "elf/file.h"
#include "port/objects.h"

namespace uwind {

// The functions of a symbol table, by its section type.
std::vector<Symbol> functions_in(const ElfFile& file, std::uint32_t type);

} // namespace uwind
