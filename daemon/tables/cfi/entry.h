// SPDX-License-Identifier: GPL-2.0
// The records of .eh_frame and .debug_frame: common information entries and frame descriptions.
#pragma once

#include "base/result.h"
#include "elf/encoded_pointer.h"
#include "tables/cfi/reason.h"

#include <vector>

namespace uwind {

// What many functions share.
struct Cie {
	std::uint64_t code_factor = 1;
	std::int64_t data_factor = 1;
	std::uint64_t ra_column = 0;
	std::uint8_t encoding = pointer_absolute; // of code addresses
	bool sized_augmentation = false;          // 'z'
	bool signal_frame = false;                // 'S'
	CfiReason unusable = CfiReason::none;     // its functions have no rows
	bool located = true;                      // their addresses can be read even so
	Bytes instructions;
	std::uint64_t instructions_address = 0; // of instructions[0]
};

// One contiguous piece of code.
struct Fde {
	std::uint64_t start = 0; // address
	std::uint64_t bytes = 0;
	std::uint32_t cie = 0; // index
	std::uint32_t instructions_bytes = 0;
	std::uint64_t instructions_offset = 0; // in the section
};

struct CfiSection {
	Bytes bytes;
	PointerBases bases;
	bool end_known = true;
	bool debug = false;             // .debug_frame: its records name their kind in another way
	std::size_t max_cies = 1 << 18; // many times what any program has
	std::size_t max_fdes = 4 << 20;
	std::vector<Cie> cies;
	std::vector<Fde> fdes; // in the section's order; without empty ones
	std::uint64_t skipped[static_cast<std::size_t>(CfiReason::count)] = {};
};

// Fill cies and fdes from bytes. Zero-length records are passed over, or end the
// section if its end is not known. Fails with EBADMSG if the records do not tile
// the section or name a CIE that is none, with E2BIG if there are too many of them.
Status read_cfi_section(CfiSection& section);

} // namespace uwind
