// SPDX-License-Identifier: GPL-2.0
// Separate debug files: where a stripped program's symbols are.
#pragma once

#include <optional>

#include "elf/file.h"

namespace uwind {

inline constexpr const char* debug_folder = "/usr/lib/debug";

struct DebugFile {
	std::string path;
	UniqueFd fd;
	std::optional<ElfFile> elf; // nothing: there is none that fits
	// If there is none that fits: which file was there, and why it is not this
	// program's; "" if there was no file at all.
	std::string refused;
};

struct DebugPlaces {
	std::string program; // the program's own path; "" if it has none
	std::string folder;  // debug_folder
};

// Looks where gdb does: FOLDER/.build-id/xx/yyyy.debug; then the name in .gnu_debuglink,
// in the program's folder, in .debug below that, and in FOLDER/(the program's folder).
// It is this program's if both have the same build-id; a file that is linked to but
// has no build-id to compare, if its checksum is the link's.
DebugFile find_debug_file(const ElfFile& program, const DebugPlaces& places);

// The file in debug_folder that is named after a build-id (hex), whatever it holds; not
// open: there is none.
UniqueFd open_debug_file(const std::string& build_id);

} // namespace uwind
