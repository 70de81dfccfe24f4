// SPDX-License-Identifier: GPL-2.0
// Relocations. Symbols and the dynamic section are in file.h.
#pragma once

#include "elf/file.h"

namespace uwind {

struct ElfRelocation {
	std::uint64_t address = 0;
	std::uint64_t addend = 0; // 0 on 32-bit machines, where it is in the relocated word (AAELF32, 5.6.1)
	std::uint32_t type = 0;
	std::uint32_t symbol = 0; // in .dynsym
};

// Of sections that are loaded: REL on 32-bit machines, RELA on others.
void each_relocation(const ElfFile& file, const std::function<void(const ElfRelocation&)>& visit);

} // namespace uwind
