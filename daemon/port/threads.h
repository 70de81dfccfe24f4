// SPDX-License-Identifier: GPL-2.0
// How this program's threads are scheduled.
#pragma once

namespace uwind {

class Threads {
public:
	virtual ~Threads() = default;

	// Lets the calling thread run soon even on a busy machine.
	virtual void prefer_this_one() = 0;
};

} // namespace uwind
