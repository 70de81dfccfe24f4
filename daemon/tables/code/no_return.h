// SPDX-License-Identifier: GPL-2.0
// Functions of libraries that do not return. Anything may follow a call of one.
#pragma once

#include "elf/file.h"

namespace uwind {

// 32-bit Arm: addresses of the PLT entries of such functions, sorted.
std::vector<std::uint32_t> arm_no_return(const ElfFile& file);

// Not of 32-bit Arm: addresses of those that the file defines and, on x86, of their PLT entries; sorted.
std::vector<std::uint64_t> no_return_functions(const ElfFile& file);

} // namespace uwind
