// SPDX-License-Identifier: GPL-2.0
// What is in an ELF file: where its segments lie and what its functions are called.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/table_rows.h"

namespace uwind {

struct ObjectFacts {
	std::string build_id; // lower-case hex; "": none
	Arch arch = Arch::none;
	std::uint64_t entry = 0;
	std::vector<Segment> segments;            // PT_LOAD, file contents only
	std::string interpreter;                  // PT_INTERP, or a script's "#!"; "": none
	std::vector<std::string> needed;          // DT_NEEDED
	std::vector<std::string> library_folders; // DT_RPATH, DT_RUNPATH, as written
};

enum class Binding : std::uint8_t { global, local, weak };

// A function.
struct Symbol {
	std::uint64_t address = 0; // virtual address in the file
	std::uint64_t bytes = 0;   // not 0
	Binding binding = Binding::global;
	std::string name; // as in the file: mangled
};

struct Functions {
	std::vector<Symbol> symbols; // in no order
	std::string refused;         // a separate debug file was there but not this file's: which, and why; else ""
};

class Objects {
public:
	virtual ~Objects() = default;

	// Of an ELF file, or of a script: then only the interpreter.
	virtual Result<ObjectFacts> facts(int fd) = 0;
	// Of .symtab, else of the separate debug file, else of .dynsym. path: where the file
	// lies, or lay; its debug file may lie near.
	virtual Result<Functions> functions(int fd, const std::string& path) = 0;
};

} // namespace uwind
