// SPDX-License-Identifier: GPL-2.0
// The table of Go's functions in a program's file.
#pragma once

#include "elf/file.h"
#include "tables/go/pclntab.h"

#include <optional>

namespace uwind {

// Its names are in the file's bytes. Nothing: it is no Go program, or one whose table is not understood.
std::optional<GoTable> go_table(const ElfFile& file);

} // namespace uwind
