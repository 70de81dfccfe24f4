// SPDX-License-Identifier: GPL-2.0
// Programs and libraries that may run some day.
#pragma once

#include <optional>
#include <string>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

struct ProgramFile {
	std::string path; // as it was found
	UniqueFd fd;
};

// A walk over them. Used by one thread at a time, except for stop().
class ProgramFiles {
public:
	virtual ~ProgramFiles() = default;

	// The next ELF file, for whatever machine. Nothing: there is no further one. An error names what could not be
	// looked at; the walk goes on, unless it is E2BIG: it has come to a limit.
	virtual std::optional<Result<ProgramFile>> next() = 0;
	// From now on next() finds nothing, also where it is looking.
	virtual void stop() = 0;
};

} // namespace uwind
