// SPDX-License-Identifier: GPL-2.0
// SIGINT, SIGTERM and SIGHUP as something to ask about, instead of a death.
#pragma once

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// Make it before any thread: threads inherit the blocked signals.
class StopSignals {
public:
	static Result<StopSignals> catch_them();

	// Which signal came, if one did. Remembered.
	int arrived();
	// In a child before exec: as if nothing had been caught.
	static void release_in_child();

private:
	explicit StopSignals(UniqueFd fd) : fd_(std::move(fd)) {}

	UniqueFd fd_;
	int signal_ = 0;
};

} // namespace uwind
