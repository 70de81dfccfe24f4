// SPDX-License-Identifier: GPL-2.0
// The debug information of an open file, with its sections at addresses.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <functional>
#include <memory>
#include <vector>

#include "base/handle.h"
#include "base/result.h"
#include "dwarf/linked_files.h"

namespace uwind {

// Opens the file that is meant; null: it is not there.
using FindSharedDebug = std::function<std::shared_ptr<UniqueFd>(const SharedDebug&)>;

// Used by one thread.
class OpenedDwarf {
public:
	// A program, a library, a separate debug file, or a file that is still to be linked, as a kernel's module is:
	// then each of its sections gets addresses of its own, and its debug information is relocated to these.
	// ENODATA: it has no debug information; the message says why.
	static Result<OpenedDwarf> open(std::shared_ptr<UniqueFd> fd, const FindSharedDebug& find);

	Dwarf* get() const { return dwarf_; }
	// By section number, from 0 on, 0 for those that are not loaded. Empty: the file is linked already.
	const std::vector<Dwarf_Addr>& section_addresses() const { return section_addresses_; }
	// What it shares with others is in a file that is not there. "": it is, or it shares nothing.
	const std::string& lacks() const { return lacks_; }

private:
	OpenedDwarf() = default;
	bool relocate();
	void add_shared(const FindSharedDebug& find);

	std::shared_ptr<UniqueFd> fd_, shared_fd_; // are read from
	std::unique_ptr<Dwarf, FreeWith<&dwarf_end>> shared_;
	std::unique_ptr<Dwarf, FreeWith<&dwarf_end>> own_;     // either this
	std::unique_ptr<Dwfl, FreeWith<&dwfl_end>> relocated_; // or this owns dwarf_
	Dwarf* dwarf_ = nullptr;
	std::vector<Dwarf_Addr> section_addresses_;
	std::string lacks_;
};

} // namespace uwind
