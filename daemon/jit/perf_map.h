// SPDX-License-Identifier: GPL-2.0
// perf's map files, /tmp/perf-PID.map: a line for each piece of generated code, appended as it is generated.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "port/generated_code.h"

namespace uwind {

struct PerfMapEntry {
	std::uint64_t start = 0;
	std::uint64_t bytes = 0; // start + bytes is no more than the largest number
	std::string_view name;   // not empty
};

// "7f7d8c0c1000 40 LazyCompile:~f x.js:1", numbers in hexadecimal digits, with "0x" or without. Nothing: another line.
std::optional<PerfMapEntry> parse_perf_map_line(std::string_view line);

// What could not be read.
struct NotesFlaws {
	std::uint64_t bad = 0;        // lines, or records
	std::uint64_t first = 0;      // line, or offset of the record; meant if there is one
	bool longer = false;          // than what is read of a file
	std::optional<Error> refused; // all of it, or the rest
};

inline constexpr std::uint64_t most_notes_bytes = 1u << 30; // that are read of a file
inline constexpr std::size_t most_line_bytes = 64u << 10;   // a longer line is a bad one

// Each entry, in the file's order; its name lives as long as the call.
NotesFlaws read_perf_map(CodeNotes& notes, const std::function<void(const PerfMapEntry&)>& found);

} // namespace uwind
