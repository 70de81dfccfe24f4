// SPDX-License-Identifier: GPL-2.0
// Priorities of this process's threads.
#pragma once

#include "port/threads.h"

namespace uwind {

class SystemThreads : public Threads {
public:
	void prefer_this_one() override;
	int make_this_one_wait() override;
	void let_run(int thread) override;
};

// How many processors this process may use.
unsigned usable_processors();

} // namespace uwind
