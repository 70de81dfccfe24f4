// SPDX-License-Identifier: GPL-2.0
// libunwind's view of a process that somebody else traces.
#pragma once

#include "target.h"

namespace truth {

class RemoteLibunwind {
public:
	RemoteLibunwind(std::uint32_t pid, Target& target);
	~RemoteLibunwind();
	RemoteLibunwind(const RemoteLibunwind&) = delete;

	// Frames, innermost first.
	std::vector<Frame> walk(const uw_regs& regs);

private:
	Target& target_;
	void* space_;
	void* process_;
};

} // namespace truth
