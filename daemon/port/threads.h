// SPDX-License-Identifier: GPL-2.0
// How this program's threads are scheduled.
#pragma once

namespace uwind {

class Threads {
public:
	virtual ~Threads() = default;

	// Lets the calling thread run soon even on a busy machine.
	virtual void prefer_this_one() = 0;
	// Lets the calling thread run only when no other thread of the machine wants to. Returns its number.
	virtual int make_this_one_wait() = 0;
	// That thread, which has not ended, runs as others do again: somebody waits for it.
	virtual void let_run(int thread) = 0;
};

} // namespace uwind
