// SPDX-License-Identifier: GPL-2.0
// Rows for two places that have no CFI: where a program begins, and where a
// signal handler returns to in the arm64 vDSO.
#pragma once

#include "elf/file.h"
#include "tables/row_builder.h"

#include <optional>

namespace uwind {

// Code at the ELF entry point that no row of table covers has no caller. The
// stretch ends where the next row begins, where the symbol ends, or (there being no
// symbol) where its instructions seem to end, after 128 bytes at most. Nothing if the entry point has a row.
std::optional<Stretch> entry_stretch(const ElfFile& file, const TableRows& table);

// How many bytes from the entry point on are entry code: to the end of the entry's
// CFI record; there being none, to the end of the symbol, or of what look like its instructions,
// at most to the next record. 0: a library, or an entry point outside of the file.
std::uint64_t entry_bytes(const ElfFile& file);

// The entry point's CFI may say only after the first instruction that there is no
// caller; there is none before it.
void begin_outermost(TableRows& table, const ElfFile& file);

// The vDSO's signal return: its CFI was left out on purpose. It is known by its
// two instructions, and the stretch begins one byte before them, because a
// return address is looked up one byte below.
std::optional<Stretch> signal_return_stretch(const ElfFile& file);

// A signal return ends with its system call: a task that is in it has the pc after
// it, where no row is. The row is made one byte longer.
void lengthen_signal_returns(TableRows& table);

// Handlers return to the first byte of it, and a return address is looked up one byte below. Most CFI begins there (the
// C library's, and that of i386's vDSO in Linux 6.1). Where nothing is known of that byte, the row begins there.
void begin_signal_returns(TableRows& table);

} // namespace uwind
