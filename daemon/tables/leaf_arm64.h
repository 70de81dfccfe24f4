// SPDX-License-Identifier: GPL-2.0
// Rows for the arm64 vDSO's functions, which kernels build without CFI.
#pragma once

#include "tables/elf_file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// The functions of a small image that change neither SP nor the link register, by
// symbol: their return address is in the link register from end to end.
std::vector<Stretch> leaf_stretches(const ElfFile& file);

} // namespace uwind
