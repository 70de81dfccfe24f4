// SPDX-License-Identifier: GPL-2.0
// The names of a file's functions.
#pragma once

#include "elf/file.h"
#include "port/objects.h"

namespace uwind {

// The functions of the symbol table of that section type.
std::vector<Symbol> functions_in(const ElfFile& file, std::uint32_t type);

// Those that Go's runtime knows, which stripped programs have, too. Empty: it is no Go program.
std::vector<Symbol> go_functions_in(const ElfFile& file);
// Those of a file that is still to be linked, from .symtab. sections: the addresses of its sections, by their number;
// 0: it is not loaded, and its functions are left out.
std::vector<Symbol> functions_in(const ElfFile& file, const std::vector<std::uint64_t>& sections);

} // namespace uwind
