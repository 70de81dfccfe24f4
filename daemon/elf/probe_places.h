// SPDX-License-Identifier: GPL-2.0
// Where probes can be put into a file: its functions, and its static probes (.note.stapsdt).
#pragma once

#include "elf/file.h"

#include <optional>

namespace uwind {

// A note of a static probe, as systemtap's sys/sdt.h writes it. Addresses are the file's.
struct StapNote {
	std::string provider, name;
	std::uint64_t address = 0;
	std::uint64_t semaphore = 0; // 0: it has none
};

// Broken notes end the list. Addresses follow .stapsdt.base, if a prelinker has moved the file.
std::vector<StapNote> stap_notes(const ElfFile& file);

// Where the byte at an address is in the file. Nothing: it is not in the file.
std::optional<std::uint64_t> offset_of_address(const ElfFile& file, std::uint64_t address);

} // namespace uwind
