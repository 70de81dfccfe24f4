// SPDX-License-Identifier: GPL-2.0
// Names, lines and inlined functions for a report that was made without them, perhaps on another machine.
#pragma once

#include "model/report.h"
#include "port/code_files.h"

namespace uwind {

struct SymbolizeCounts {
	std::size_t frames = 0;       // that lie in a file
	std::size_t named_before = 0; // of these
	std::size_t named = 0;
	std::size_t with_line = 0;
	std::size_t inlined = 0;          // functions
	std::vector<std::string> missing; // files of which something is not known: "PATH: why"
};

// Files are looked at one after another. Names that a frame has already are kept. Frames of the kernel get lines if
// they have names.
SymbolizeCounts symbolize(Report& report, CodeFiles& files);

// The files that a report's frames lie in. Of the kernel only those that are ELF files: not BPF programs, for example.
std::vector<CodeName> code_names(const Report& report);

} // namespace uwind
