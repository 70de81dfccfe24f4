// SPDX-License-Identifier: GPL-2.0
// A part of an ELF file that is loaded.
#pragma once

#include <cstdint>

namespace uwind {

// A PT_LOAD segment.
struct Segment {
	std::uint64_t address = 0; // virtual address in the ELF file
	std::uint64_t bytes = 0;
	std::uint64_t offset = 0; // file offset
};

} // namespace uwind
