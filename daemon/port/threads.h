// SPDX-License-Identifier: GPL-2.0
// How the machine treats our own threads.
#pragma once

namespace uwind {

class Threads {
public:
	virtual ~Threads() = default;

	// The calling thread is to run soon even when the machine is busy.
	virtual void prefer_this_one() = 0;
};

} // namespace uwind
