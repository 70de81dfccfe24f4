// SPDX-License-Identifier: GPL-2.0
// A traced program that runs instruction by instruction, and its shadow stack.
#pragma once

#include "shadow.h"

#include <sys/types.h>

namespace truth {

class Stepping {
public:
	// It is stopped.
	explicit Stepping(pid_t pid);
	// False: the program has ended.
	bool step();
	// A signal comes before the next instruction: after two steps its handler begins. False:
	// there is none for it now.
	bool send(int signal);

	const uw_regs& regs() const { return regs_; }
	const Shadow& shadow() const { return shadow_; }
	Target& target() { return target_; }
	const Target& target() const { return target_; }

private:
	bool handled(int signal) const;
	bool run(int signal);

	const pid_t pid_;
	Target target_;
	Shadow shadow_;
	uw_regs regs_{};
	int signal_ = 0; // what the next step delivers
	bool stopped_by_signal_ = false;
};

} // namespace truth
