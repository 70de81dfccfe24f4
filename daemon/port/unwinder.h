// SPDX-License-Identifier: GPL-2.0
// Goes on with a walk that ended for want of a table.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/records.h"
#include "model/table_content.h"
#include "model/unfinished.h"

namespace uwind {

// A table that can be looked up here.
class UnwindTable {
public:
	virtual ~UnwindTable() = default;
	virtual std::size_t bytes() const = 0; // of memory
};

// Executable memory of a process.
struct CodeMapping {
	std::uint64_t start = 0;
	std::uint64_t end = 0;
	std::uint64_t offset = 0;                 // of start in the file
	std::shared_ptr<const UnwindTable> table; // null: none yet
	bool has_none = false;                    // and never will have one
};

struct GoneOn {
	// Those that the walk had found before, and further ones: their file is a number from 1, the place of their
	// mapping; 0: none.
	std::vector<StackFrame> frames;
	Stop stop = Stop::NONE;
	std::optional<std::size_t> missed; // the mapping whose table it missed first
};

class Unwinder {
public:
	virtual ~Unwinder() = default;

	// EBADMSG: it is broken.
	virtual Result<std::shared_ptr<const UnwindTable>> table(const TableContent& content) = 0;
	// before: the first unfinished.nr_frames frames of the stack. mappings: in any order, none overlaps another.
	virtual GoneOn go_on(const Unfinished& unfinished, std::vector<StackFrame> before,
			     const std::vector<CodeMapping>& mappings, std::uint32_t max_frames) = 0;
};

} // namespace uwind
