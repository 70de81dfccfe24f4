// SPDX-License-Identifier: GPL-2.0
// An ELF file with .sframe, beside what readelf says of it and what its own .eh_frame
// says of the same code.
#pragma once

#include "unit/core/sframe_oracle.h"

#include <filesystem>
#include <map>

namespace core::sframe {

struct Tally {
	u64 files = 0;
	u64 without = 0; // files without any function, in readelf's eyes and in ours
	u64 functions = 0;
	u64 equal = 0; // rows, at each of their addresses
	std::vector<std::string> different;
	u64 same_as_cfi = 0;              // rows that say what .eh_frame says
	std::map<std::string, u64> named; // known exceptions, in rows
	std::vector<std::string> unknown; // rows that are not what .eh_frame says
};

// FILE beside FILE.txt: every row of ours is readelf's, at every address, and no code
// has a row of ours alone. Counted in tally.
void compare_with_readelf(const std::filesystem::path& file, Tally& tally);

// Rows of .sframe that are not what .eh_frame says: named, if it is known why. What
// is wrong in a PLT must be right in the table that the daemon registers.
void compare_with_cfi(const std::filesystem::path& file, Tally& tally);

} // namespace core::sframe
