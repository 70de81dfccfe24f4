// SPDX-License-Identifier: GPL-2.0
// What processes write about the code that they generate: perf's map files and jitdumps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace uwind {

// Such a file, from its beginning on.
class CodeNotes {
public:
	virtual ~CodeNotes() = default;

	// The next bytes, as many as there is room for unless the file ends there; 0: it has ended.
	virtual Result<std::size_t> read(std::span<std::uint8_t> into) = 0;
	// As its process calls it.
	virtual std::string path() const = 0;
};

// A process, and what leads to its files after it has ended.
class GeneratingProcess {
public:
	virtual ~GeneratingProcess() = default;

	// Both are opened anew each time. ENOENT: there is none; EPERM: it is neither the process's user's nor root's.
	virtual Result<std::unique_ptr<CodeNotes>> perf_map() = 0;
	// Null: it has mapped none, as far as that was seen. The process may have ended, if it was looked for before.
	virtual Result<std::unique_ptr<CodeNotes>> jitdump() = 0;
	virtual bool has_ended() = 0;
};

// All at the same time.
struct ClockReading {
	std::uint64_t boottime_ns = 0, monotonic_ns = 0;
	std::uint64_t cycles = 0; // of the processor's own clock: the TSC, CNTVCT_EL0
};

class GeneratedCode {
public:
	virtual ~GeneratedCode() = default;

	// ESRCH: the process has ended.
	virtual Result<std::unique_ptr<GeneratingProcess>> process(std::uint32_t pid) = 0;
	virtual ClockReading clocks() = 0;
};

} // namespace uwind
