// SPDX-License-Identifier: GPL-2.0
// Priorities of this process's threads.
#pragma once

#include "port/threads.h"

namespace uwind {

class SystemThreads : public Threads {
public:
	void prefer_this_one() override;
};

} // namespace uwind
