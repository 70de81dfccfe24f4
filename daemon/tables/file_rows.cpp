// SPDX-License-Identifier: GPL-2.0
#include "tables/file_rows.h"

#include "tables/eh_frame.h"
#include "tables/entry.h"
#include "tables/gaps.h"
#include "tables/known_code.h"
#include "tables/row_builder.h"

extern "C" {
#include "types.h"
}

#include <cerrno>

namespace uwind {
namespace {

// A file without .eh_frame may have this one, or its debug file may. clang's says nothing
// of how frames are undone, and gcc's is late there: the instructions come first. If it
// is broken, the rest is not lost.
void add_debug_frame(TableRows& table, const ElfFile& file, const ElfFile* debug)
{
	Result<TableRows> rows = lower_debug_frame(file, file.segments());
	if (!rows && rows.error().code == ENODATA && debug)
		rows = lower_debug_frame(*debug, file.segments());
	if (rows)
		fill_gaps(table, *rows);
	else if (rows.error().code != ENODATA)
		table.inexpressible[rows.error().message]++;
}

} // namespace

Result<TableRows> rows_of_file(const ElfFile& file, const ElfFile* debug)
{
	Result<CfiRows> cfi = lower_eh_frame(file);
	if (!cfi)
		return cfi.error();
	TableRows table = std::move(cfi->believed);
	const bool described = !table.rows.empty();
	table.method = described ? UW_METHOD_EH_FRAME : UW_METHOD_SYNTH;
	table.arch = file.arch();
	fill_known_code(table, file, cfi->doubtful);
	fill_gaps(table, rows_of(std::move(cfi->epilogues)));
	fill_gaps(table, cfi->at_calls);
	if (!described)
		add_debug_frame(table, file, debug);
	lengthen_signal_returns(table);
	begin_outermost(table, file);
	if (table.method == UW_METHOD_EH_FRAME)
		close_gaps(table, file.segments());
	if (table.rows.empty())
		return Error{ENODATA, cfi->section ? ".eh_frame describes no code of this file"
						   : "there is neither .sframe nor .eh_frame in it"};
	return table;
}

} // namespace uwind
