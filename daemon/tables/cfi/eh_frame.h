// SPDX-License-Identifier: GPL-2.0
// Lowering .eh_frame, or .debug_frame, to rows.
#pragma once

#include "base/result.h"
#include "elf/file.h"
#include "model/table_rows.h"
#include "tables/cfi/entry.h"
#include "tables/code/function.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// What .eh_frame, or .debug_frame, says of a file's code.
struct CfiRows {
	TableRows accepted;
	// Rows of functions with synchronous CFI: it holds at calls, but omits how their frames are made or undone.
	TableRows sync_only;
	std::vector<Stretch> epilogues; // of these functions, read from their instructions
	// Functions to be read from their instructions: those of sync_only, and those whose CFI
	// contradicts itself, which have no rows.
	std::vector<CodeFunction> doubtful;
	// What CFI describes but no row can say, and what another entry cuts off from one. The rules are of kind
	// UNKNOWN, so that the walk does not guess there.
	std::vector<Stretch> left_out;
	std::vector<CodeFunction> functions; // of .debug_frame: all of them
	// Where there is no caller, and where signal handlers return to. Those of doubtful functions are among them:
	// no instruction shows this.
	std::vector<Stretch> stated;
	bool section = false; // there is such a section
};

// Of entries that overlap, the one with the greatest start at or below a pc
// counts, as in the binary search of libgcc and gdb: a later entry cuts an
// earlier one short, and after its end nothing is known (left_out). Of two with the same
// start the first in the section counts.
//
// EBADMSG: broken. EFBIG: code at or above file offset 4 GiB. E2BIG: more rows than a
// table takes.
Result<CfiRows> lower_eh_frame(const ElfFile& file);

// What .debug_frame says, in the file itself or in one of debug information; the segments are
// those of the program, and so are the instructions that CFI is checked against.
// Go's does not mention the frame pointer that its functions save: a function that writes that register loses it.
// ENODATA: there is none; other errors as above.
Result<CfiRows> lower_debug_frame(const ElfFile& file, const std::vector<Segment>& segments,
				  const ElfFile* program = nullptr);

// A file's .eh_frame, for read_cfi_section() to read.
CfiSection cfi_section_of(const ElfFile& file, const ElfSection& section);

} // namespace uwind
