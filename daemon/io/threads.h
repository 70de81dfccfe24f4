// SPDX-License-Identifier: GPL-2.0
// Threads of this process under the system's scheduler.
#pragma once

#include "port/threads.h"

namespace uwind {

class SystemThreads : public Threads {
public:
	void prefer_this_one() override;
};

} // namespace uwind
