// SPDX-License-Identifier: GPL-2.0
// SIGINT, SIGTERM and SIGHUP as something to ask about, instead of a death.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "port/requests.h"

namespace uwind {

// Make it before any thread: threads inherit the blocked signals.
class StopSignals : public Requests {
public:
	// To whom the terminal is gone, or whose configuration was changed.
	enum class Hangup { stops, reloads };

	static Result<StopSignals> catch_them(Hangup hangup = Hangup::stops);

	// Which signal asks for the end, if one does. Remembered.
	int arrived();
	bool stop() override { return arrived() != 0; }
	bool take_reload() override;
	// In a child before exec: as if nothing had been caught.
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
