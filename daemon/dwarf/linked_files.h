// SPDX-License-Identifier: GPL-2.0
// Other files that a file's debug information is continued in.
#pragma once

#include <cstdint>
#include <elfutils/libdw.h>
#include <optional>
#include <string>
#include <vector>

namespace uwind {

// What dwz has made of the parts that several debug files share (.gnu_debugaltlink).
struct SharedDebug {
	std::string name;     // an absolute path, or one from the folder of the file that names it
	std::string build_id; // hex
};

// Nothing: it has no such link.
std::optional<SharedDebug> shared_debug_of(Dwarf* dwarf);
std::optional<SharedDebug> shared_debug_of(int fd);

// A unit's debug information that was split off (DWARF 5, 3.1.2).
struct SplitDebug {
	std::uint64_t id = 0;     // of the unit, in both files
	std::string name, folder; // DW_AT_dwo_name, from DW_AT_comp_dir
};

// Of the units of the file, at most 1,048,576 of them, those that were split off.
std::vector<SplitDebug> split_debug_of(int fd);

// Whether the file has the unit of that id, split off from another file.
bool has_split_unit(int fd, std::uint64_t id);

} // namespace uwind
