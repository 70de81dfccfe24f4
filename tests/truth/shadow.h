// SPDX-License-Identifier: GPL-2.0
// A shadow stack: who called whom, told by the instructions that were executed and
// by nothing else.
#pragma once

#include "target.h"

namespace truth {

struct Call {
	std::uint64_t ra;  // where it returns to
	std::uint64_t cfa; // SP before the call
};

class Shadow {
public:
	// One instruction, at before.pc, was executed.
	void note(const uw_regs& before, const uw_regs& after, Target& target);
	const std::vector<Call>& calls() const { return calls_; } // outermost first

private:
	std::vector<Call> calls_;
	bool unwinding_ = false; // SP was raised above a call: arm64's longjmp() and throw
};

} // namespace truth
