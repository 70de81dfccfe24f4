// SPDX-License-Identifier: GPL-2.0
// The files that a report names, wherever they are now, and what is known of their code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/source_place.h"
#include "port/objects.h"

namespace uwind {

// A file of a report.
struct CodeName {
	std::string path;        // "[nf_tables]": a module of the kernel; "[kernel.kallsyms]": itself
	std::string build_id;    // hex; "": it had none
	std::string kernel = {}; // the release of the kernel that it is part of; "": it is of user space
};

// Code that keeps its distances wherever it is loaded.
struct CodePart {
	std::uint64_t address = 0, bytes = 0;
};

class CodeFile {
public:
	virtual ~CodeFile() = default;

	// From .symtab, else from the separate debug file, else from .dynsym. Of a file that is still to be linked,
	// each section has addresses of its own.
	virtual Functions functions() = 0;
	// Of a file that is still to be linked, each section with code; of others one part for all.
	virtual std::vector<CodePart> parts() = 0;
	// For each of these virtual addresses, which are sorted: the innermost inlined function first, the function
	// itself last. Empty: nothing is known.
	virtual std::vector<std::vector<SourcePlace>> places(const std::vector<std::uint64_t>& addresses) = 0;
	// Why places are not known, or not all of them: "it has no debug information …"; "": they are.
	virtual const std::string& lacks() const = 0;
};

class CodeFiles {
public:
	virtual ~CodeFiles() = default;

	// ENOENT: neither it nor its debug file is there; the message says what is. The file is used no longer than
	// this.
	virtual Result<std::unique_ptr<CodeFile>> open(const CodeName& name) = 0;
};

} // namespace uwind
