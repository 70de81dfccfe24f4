// SPDX-License-Identifier: GPL-2.0
// Where frames of the kernel lie in the file that their code was loaded from.
#pragma once

#include <optional>
#include <vector>

#include "model/report.h"
#include "port/code_files.h"

namespace uwind {

// What is looked for: code at an offset of a report's module. A module is loaded section by section, and the kernel
// anywhere, so that reports do not say where it lies in a file. But they have names.
struct KernelPlace {
	std::uint64_t offset = 0; // of the instruction
	// Of the function that the frame has as its symbol, where it begins; "": it has none.
	std::string symbol;
	std::uint64_t symbol_start = 0;
};

// Of each place, in order, the address in the file. Each part of the file is put where most of the functions of those
// names say: of those that the file has once. Nothing: fewer than half of them agree, or none lies in that part.
std::vector<std::optional<std::uint64_t>> addresses_in_file(const std::vector<KernelPlace>& places,
							    const std::vector<Symbol>& symbols,
							    const std::vector<CodePart>& parts);

} // namespace uwind
