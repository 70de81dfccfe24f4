// SPDX-License-Identifier: GPL-2.0
// What is in an ELF file: where its segments lie, how its code is unwound, and what its functions are called.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/handle.h"
#include "base/result.h"
#include "model/table_content.h"
#include "model/table_rows.h"

namespace uwind {

struct ObjectFacts {
	std::string build_id; // lower-case hex digits; "": none
	Arch arch = Arch::none;
	std::uint64_t entry = 0;                  // 0: a library
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
	std::string refused; // a separate debug file that does not belong to this file: which, and why; "": none
};

// What became of a table that is to be kept for a recording to come.
struct KeptTableOutcome {
	bool before = false; // it was kept already
	// EFBIG: this one is not kept. Other errors: no further table is.
	Status stored = Nothing{};
};

// An open file. Used by one thread at a time.
class Object {
public:
	virtual ~Object() = default;

	// Of a script: only the interpreter.
	virtual ObjectFacts facts() const = 0;
	// ENODATA: the file has no unwind data; EBADMSG: they are broken; ENOEXEC: the file is not for this machine.
	virtual Result<FileContent> table() const = 0;
	// Makes the table if table() would have to, and keeps it, so that table() need not make it the next time.
	// ENODATA, EBADMSG, ENOEXEC: as above; also ENOEXEC: a separate debug file, which nobody executes.
	virtual Result<KeptTableOutcome> keep_table() const = 0;
	// The length of the code at the ELF entry point, in bytes; 0: a library, or not known.
	virtual std::uint64_t entry_bytes() const = 0;
	// From .symtab, else from the separate debug file, else from .dynsym and what Go's runtime knows. path: the
	// file's, perhaps a former one; its debug file is also looked for near it.
	virtual Functions functions(const std::string& path) const = 0;
};

class Objects {
public:
	virtual ~Objects() = default;

	// An ELF file, the vDSO's image, or a script. Reads its headers; the object keeps the descriptor.
	virtual Result<std::unique_ptr<Object>> open(std::shared_ptr<UniqueFd> fd) = 0;
};

} // namespace uwind
