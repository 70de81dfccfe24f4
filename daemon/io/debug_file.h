// SPDX-License-Identifier: GPL-2.0
// Separate debug files, which have a stripped program's symbols.
#pragma once

#include <optional>

#include "elf/file.h"

namespace uwind {

inline constexpr const char* debug_folder = "/usr/lib/debug";

struct DebugFile {
	std::string path;
	UniqueFd fd;
	std::optional<ElfFile> elf; // nothing: no file fits
	// If no file fits: the first that was found, and why it does not belong to this
	// program; "": none was found.
	std::string refused;
};

struct DebugPlaces {
	std::string program; // the program's own path; "" if it has none
	std::string folder;  // debug_folder
};

// Searches where gdb does: FOLDER/.build-id/xx/yyyy.debug; then the file that .gnu_debuglink
// names, in the program's folder, in .debug below that, and in FOLDER/(the program's folder).
// A file fits if its build-id is the program's. If one of the two has no build-id, the file
// that .gnu_debuglink names fits if its checksum is the link's.
DebugFile find_debug_file(const ElfFile& program, const DebugPlaces& places);

// Whether it is hex digits of two bytes at least, 64 at most, so that a file can be named after it.
bool is_build_id(const std::string& text);
// "/.build-id/xx/yyyy" in a folder of debug files: the program, by gdb's convention; with ".debug" its debug file.
std::string place_of_build_id(const std::string& build_id);

// Opens the file in debug_folder that is named after a build-id (hex), whatever its contents. Not open: there is none.
UniqueFd open_debug_file(const std::string& build_id);

} // namespace uwind
