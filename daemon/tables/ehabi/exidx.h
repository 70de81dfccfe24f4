// SPDX-License-Identifier: GPL-2.0
// The exception index of 32-bit Arm: which code has which unwind opcodes.
#pragma once

#include "base/result.h"
#include "elf/file.h"
#include "tables/cfi/reason.h"

#include <vector>

namespace uwind {

// Many times what any program has.
inline constexpr std::size_t max_exidx_entries = 4 << 20;

enum class ExidxKind : std::uint8_t {
	opcodes,
	cannot_unwind, // the program's end, if it is at the entry point; elsewhere it says nothing
	unknown,       // broken, or of no use: reason
};

// The code from start to end, which are addresses without Thumb's bit.
struct ExidxEntry {
	std::uint64_t start = 0, end = 0;
	ExidxKind kind = ExidxKind::unknown;
	CfiReason reason = CfiReason::none;
	std::uint8_t skip = 0; // bytes before the first opcode
	Bytes words;           // of little-endian words; they live as long as the ElfFile
};

// An entry ends where the next one starts, the last one with its segment. Entries without
// code are left out; of two with the same start, the last one has the code. A file without
// an index has no entries. EBADMSG: the index is broken, or not sorted; E2BIG: too long.
Result<std::vector<ExidxEntry>> read_exidx(const ElfFile& file);

// An entry's opcodes, in the order of execution: at most 1,023.
std::vector<std::uint8_t> opcodes_of(const ExidxEntry& entry);

} // namespace uwind
