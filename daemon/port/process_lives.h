// SPDX-License-Identifier: GPL-2.0
// Processes that begin, map files and end, told as it happens.
#pragma once

#include <chrono>

#include "base/result.h"
#include "model/process_life.h"
#include "model/session.h"

namespace uwind {

class ProcessLives {
public:
	virtual ~ProcessLives() = default;

	// Begins to tell of the processes that a session is of. An error: why this kernel, or this user, can have none
	// of it; what cannot be told of alone is in untold().
	virtual Status watch(const SessionOptions& session) = 0;
	virtual std::vector<std::string> untold() const = 0;

	// What happened, in order for each CPU. Empty: nothing in that time. One thread waits.
	virtual std::vector<LifeRecord> wait(std::chrono::milliseconds timeout) = 0;
	// Any thread may: wait() waits no more, or the next time it would wait.
	virtual void interrupt() = 0;
	// Events that had no room, since the start. Any thread may ask.
	virtual std::uint64_t lost() const = 0;
};

} // namespace uwind
