// SPDX-License-Identifier: GPL-2.0
// Rows of Go programs, from what Go's runtime itself walks stacks with.
#pragma once

#include "elf/file.h"
#include "tables/code/function.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

struct GoRows {
	std::vector<CodeFunction> functions;
	std::vector<Stretch> stretches; // x86 only
	std::vector<Stretch> outermost; // has no caller
	// Functions that give SP another value, in the file and sorted: Go's linker does not know that when it writes
	// .debug_frame.
	std::vector<OffsetRange> switching;
};

// Empty: it is no Go program, or one whose table is not understood.
GoRows go_rows(const ElfFile& file);

} // namespace uwind
