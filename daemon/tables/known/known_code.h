// SPDX-License-Identifier: GPL-2.0
// Rows for code that call frame information says nothing about.
#pragma once

#include "elf/file.h"
#include "tables/code/function.h"
#include "tables/known/clone_call.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// Rows that count for less than what is known of code without CFI, and for more than what its instructions show.
struct DescribedCode {
	TableRows debug_frame;
	TableRows go; // of Go's table
};

// Fills the gaps of a table. Where two sources describe one place, the first of these counts:
//  - PLTs and their resolver, system calls, the ends of fibers, and the entry point
//  - .debug_frame
//  - what Go's runtime knows
//  - the instructions; they may know more of registers than .debug_frame, which they complete
//  - at calls, 32-bit Arm's exception index
// functions: what else is known to be one. Those whose CFI was not accepted are read like any other.
// Nothing is read in left_out: CFI describes that code, but no rule can say it.
void fill_known_code(TableRows& table, const ElfFile& file, const std::vector<CodeFunction>& functions,
		     std::vector<Stretch> left_out, const std::vector<CloneCall>& clones,
		     const DescribedCode& described);

} // namespace uwind
