// SPDX-License-Identifier: GPL-2.0
// All rows of a file, but for those of .sframe.
#pragma once

#include "base/result.h"
#include "elf/file.h"
#include "model/table_rows.h"

namespace uwind {

// Each place has the row of the first of these sources that knows it:
//  - .eh_frame, where it is accepted; and of all it describes, the ends of stacks and the returns from signals
//  - Go's table, of the ends of stacks
//  - .debug_frame, like .eh_frame, of the file, or of debug if there is such a file; not for Go's functions that switch
//    stacks
//  - what code without CFI is known to be (known_code.h)
//  - the instructions at the ends of functions with synchronous CFI; then that CFI
// On 32-bit Arm .debug_frame comes last. What CFI or 32-bit Arm's index describes, but no rule can say, has a row of
// kind UNKNOWN.
//
// ENODATA: no rows. EBADMSG: broken. EFBIG: code at or above file offset 4 GiB.
// E2BIG: more rows than a table takes.
Result<TableRows> rows_of_file(const ElfFile& file, const ElfFile* debug = nullptr);

} // namespace uwind
