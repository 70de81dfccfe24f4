// SPDX-License-Identifier: GPL-2.0
// Jitdumps, jit-PID.dump: a record for each piece of generated code, with its time.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "jit/perf_map.h"

namespace uwind {

// From that address on, up to the next, in no order.
struct JitLine {
	std::uint64_t address = 0;
	std::uint32_t line = 0;
	std::string_view file;
};

struct JitLoad {
	std::uint64_t time = 0; // of the dump's clock, in all of these
	std::uint64_t start = 0, bytes = 0;
	std::uint64_t index = 0; // of the code: what moves keeps it
	std::string_view name;
	std::vector<JitLine> lines; // empty: not known
};

struct JitMove {
	std::uint64_t time = 0, from = 0, to = 0, bytes = 0, index = 0;
};

// Each record, in the file's order; texts live as long as the call. Null: not wanted.
struct JitdumpVisitor {
	std::function<void(const JitLoad&)> load;
	// Whether the lines of that code are; asked before it is loaded.
	std::function<bool(std::uint64_t start, std::uint64_t bytes)> wants_lines;
	std::function<void(const JitMove&)> move;
};

struct Jitdump {
	bool cycles = false; // its clock is the processor's own; else CLOCK_MONOTONIC, in nanoseconds
	NotesFlaws flaws;
};

// The header says which byte order: dumps of the other one are refused (ENOTSUP). EBADMSG: it is no jitdump; ENOTSUP
// also: a version that is not known. A dump ends where it ends, be it in the midst of a record: it may still be
// written. clock is called before the first record.
Jitdump read_jitdump(CodeNotes& notes, const std::function<void(bool cycles)>& clock, const JitdumpVisitor& visitor);

} // namespace uwind
