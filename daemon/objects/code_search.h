// SPDX-License-Identifier: GPL-2.0
// Where the files that a report names are: each is taken only if its build-id is that of the report.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dwarf/linked_files.h"
#include "io/debug_file.h"
#include "objects/kernel_files.h"
#include "port/code_files.h"
#include "port/online_files.h"

namespace uwind {

struct CodePlaces {
	std::vector<std::string> roots = {""}; // the paths of a report are below one of these
	// As in DebugPlaces; programs are looked for there, too, as .build-id/xx/yyyy.
	std::vector<std::string> debug_folders = {debug_folder};
	std::shared_ptr<OnlineFiles> online = {}; // is asked for what is nowhere else; null: nobody is
};

struct FoundFile {
	std::string path; // "": it has none
	std::shared_ptr<UniqueFd> fd;
	ElfFile elf; // reads from the descriptor
};

struct FoundCode {
	std::optional<FoundFile> program, debug; // at least one of them
	std::string refused;                     // no debug file was found, and why; "": there is nothing to say
};

class CodeSearch {
public:
	explicit CodeSearch(CodePlaces places) : places_(std::move(places)) {}

	// ENOENT: neither it nor its debug file is there; the message says what is.
	Result<FoundCode> find(const CodeName& name);
	// What is meant by a debug file at that path, by build-id, else by its name there. Nothing: it is not there.
	std::optional<FoundFile> find_shared(const std::string& beside, const SharedDebug& shared);

private:
	Result<FoundCode> find_kernel(const CodeName& name);
	void ask_online(FoundCode& found, const std::string& build_id) const;

	const CodePlaces places_;
	KernelFiles kernel_files_;
};

// Whether it has debug information of its own.
bool has_debug_information(const ElfFile& file);

} // namespace uwind
