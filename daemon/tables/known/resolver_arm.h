// SPDX-License-Identifier: GPL-2.0
// Where a PLT of 32-bit Arm leads while a function is not bound yet.
#pragma once

#include "elf/file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// glibc's _dl_runtime_resolve: it is not called, but jumped to with the return address on top of the stack, and has no
// symbol; its exception index says that nothing is known. From its first instruction to its last.
std::vector<Stretch> resolver_stretches_arm(const ElfFile& file);

} // namespace uwind
