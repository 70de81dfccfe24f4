// SPDX-License-Identifier: GPL-2.0
// What to register for a file: its .sframe section, or rows.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "elf/file.h"
#include "model/table_content.h"

#include <functional>
#include <string>

namespace uwind {

struct FileTable {
	TableContent content;
	std::vector<Segment> segments;
	std::string build_id; // hex; "": none
	Arch arch = Arch::none;
	std::uint32_t method = 0; // enum uwind_method
	std::string note;         // for the log: why it is not the .sframe section; or ""
	bool sframe_refused = false;
};

// What becomes of an .sframe section that says nothing about some code that
// .eh_frame or our own rows know (a program's _start, for one).
enum class SframeUse {
	completed, // rows of both, and the .sframe's method; the section if it is enough
	alone,     // the section, whatever it leaves out
};

// The architecture that this program runs on.
Arch host_arch();

// Opens the file of debug information that belongs to a build-id (hex); none: not open.
using DebugFiles = std::function<UniqueFd(const std::string& build_id)>;

// A good .sframe comes first, then .eh_frame; a broken .sframe is named in note.
// The segments' file offsets are those of rows and of the section's code.
// ENOEXEC: it is not for this machine (Arch::none: for any); ENODATA:
// nothing in it says how to unwind it; EBADMSG: broken.
Result<FileTable> build_file_table(const ElfFile& file, Arch machine = host_arch(), const DebugFiles& debug_files = {});
Result<FileTable> build_table(const ElfFile& file, SframeUse use = SframeUse::completed,
			      const DebugFiles& debug_files = {});

// The rows that the module will make of a table.
Result<TableRows> rows_of_table(const FileTable& table);

// Bytes of code with a row whose kind is not NONE. Rows must end with such a row.
std::uint64_t covered_bytes(const TableRows& table);

} // namespace uwind
