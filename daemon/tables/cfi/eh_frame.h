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
	TableRows believed;
	// Rows of functions whose CFI is good for calls only: it does not know how their frames are made or undone.
	TableRows at_calls;
	std::vector<Stretch> epilogues; // of these functions, read from their instructions
	// Functions to be read from their instructions: those of at_calls, and those whose CFI
	// contradicts itself, which have no rows.
	std::vector<CodeFunction> doubtful;
	// What it describes and no row can say, and what lies in one entry behind another, with rules of
	// kind UNKNOWN: nobody may guess there.
	std::vector<Stretch> left_out;
	std::vector<CodeFunction> functions; // of .debug_frame: all of them
	// Where there is no caller, and where signal handlers return to: in doubtful functions, too,
	// as no instruction shows it.
	std::vector<Stretch> stated;
	bool section = false; // there is such a section
};

// Of entries that overlap, the one with the greatest start at or below a pc
// counts, as in the binary search of libgcc and gdb: a later entry cuts an
// earlier one short, and behind its end nothing is known (left_out). Of two with the same
// start the first in the section counts.
//
// EBADMSG: broken. EFBIG: code at or above file offset 4 GiB. E2BIG: more rows than a
// table takes.
Result<CfiRows> lower_eh_frame(const ElfFile& file);

// What .debug_frame says, in the file itself or in one of debug information; the segments are
// those of the program, and so are the instructions that it is held against.
// Go's is silent about the frame pointer that its functions save: what it says of it counts where
// the function leaves that register alone.
// ENODATA: there is none; other errors as above.
Result<CfiRows> lower_debug_frame(const ElfFile& file, const std::vector<Segment>& segments,
				  const ElfFile* program = nullptr);

// A file's .eh_frame, for read_cfi_section() to read.
CfiSection cfi_section_of(const ElfFile& file, const ElfSection& section);

} // namespace uwind
