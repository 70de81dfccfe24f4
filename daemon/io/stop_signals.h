// SPDX-License-Identifier: GPL-2.0
// SIGINT, SIGTERM and SIGHUP as requests that the program polls, instead of being killed.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "port/requests.h"

namespace uwind {

// Must be created before any thread: threads inherit the blocked signals.
class StopSignals : public Requests {
public:
	// What SIGHUP means: the terminal was closed, or the configuration was changed.
	enum class Hangup { stops, reloads };

	static Result<StopSignals> catch_them(Hangup hangup = Hangup::stops);

	// The first signal that asked the program to end; it stays. 0: none.
	int arrived();
	bool stop() override { return arrived() != 0; }
	bool take_reload() override;
	// For a child before exec: unblocks the signals.
	static void release_in_child();

private:
	StopSignals(UniqueFd fd, Hangup hangup) : fd_(std::move(fd)), hangup_(hangup) {}
	void look();

	UniqueFd fd_;
	Hangup hangup_;
	int signal_ = 0;
	bool reload_ = false;
};

} // namespace uwind
