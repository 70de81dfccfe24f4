// SPDX-License-Identifier: GPL-2.0
// Lowering the exception index of 32-bit Arm.
#pragma once

#include "base/result.h"
#include "elf/file.h"
#include "elf/segments.h"
#include "tables/row_builder.h"

#include <map>
#include <string>
#include <vector>

namespace uwind {

// All in file offsets, in order, without overlap.
struct EhabiRows {
	std::vector<Stretch> stretches;         // rules that hold at calls
	std::vector<OffsetRange> cannot_unwind; // see ExidxKind
	std::map<std::string, std::uint64_t> inexpressible;
};

// Entries whose opcodes no rule can say, or that refuse to say anything; with rules of kind UNKNOWN.
std::vector<Stretch> inexpressible_entries(const ElfFile& file);

// ENODATA: the file has no index. EBADMSG, E2BIG: as read_exidx().
Result<EhabiRows> lower_exidx(const ElfFile& file);

} // namespace uwind
