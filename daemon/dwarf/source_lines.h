// SPDX-License-Identifier: GPL-2.0
// Functions, inlined ones included, and lines of source at addresses of a file.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/handle.h"
#include "base/result.h"
#include "dwarf/opened.h"
#include "model/source_place.h"

namespace uwind {

// Used by one thread.
class SourceLines {
public:
	// Files and errors as of OpenedDwarf. Split debug information is found where libdw looks for it. ENODATA also:
	// the debug information has no code.
	static Result<SourceLines> open(std::shared_ptr<UniqueFd> fd, const FindSharedDebug& find = {});
	~SourceLines();
	SourceLines(SourceLines&&) noexcept;
	SourceLines& operator=(SourceLines&&) noexcept;

	// For each of these virtual addresses, which are sorted: the innermost inlined function and its line first,
	// then whoever it was inlined into and the line of that call, and last the function that has the code. Empty:
	// nothing is known.
	std::vector<std::vector<SourcePlace>> at(const std::vector<std::uint64_t>& addresses);
	// As OpenedDwarf has them.
	const std::vector<std::uint64_t>& section_addresses() const;
	// Which other files with parts of it are not there; "": all are.
	std::string lacks() const;

private:
	class File;
	explicit SourceLines(std::unique_ptr<File> file);

	std::unique_ptr<File> file_;
};

} // namespace uwind
