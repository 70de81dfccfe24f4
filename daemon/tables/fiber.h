// SPDX-License-Identifier: GPL-2.0
// Where the functions of fibers return to.
#pragma once

#include "tables/elf_file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// make_fcontext() of Boost.Context lays code of its own below a fiber's first function: code
// that ends the process, and that nobody has called. There a stack ends. Copies of
// it in any file are known by the function's symbol and their instructions; amd64 and
// arm64. Each stretch begins one byte early, because a return address is looked up one byte below.
std::vector<Stretch> fiber_end_stretches(const ElfFile& file);

} // namespace uwind
