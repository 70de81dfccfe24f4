// SPDX-License-Identifier: GPL-2.0
// Where the functions of fibers return to.
#pragma once

#include "elf/file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// The stack of a fiber ends in code that no instruction calls: its address was stored as the
// return address of the fiber's first function, by make_fcontext() of Boost.Context (copies
// of it in any file) or by makecontext() of glibc. Both are known by the function's symbol
// and their instructions; on amd64 and arm64. Each stretch begins one byte early, because
// a return address is looked up one byte below.
std::vector<Stretch> fiber_end_stretches(const ElfFile& file);

} // namespace uwind
