// SPDX-License-Identifier: GPL-2.0
// A shadow stack: who called whom, told by the instructions that were executed, the
// signals that were delivered, and by nothing else.
#pragma once

#include "target.h"

namespace truth {

// A signal makes two: the interrupted code's, whose callee is the code that returns from
// the signal, and that one's, whose callee is the handler.
struct Call {
	std::uint64_t ra;       // where it returns to; the interrupted instruction
	std::uint64_t cfa;      // SP before the call
	std::uint64_t fp, base; // as they were then; a callee gives them back
	int signal;             // 0: it is a call
	std::uint64_t number;
};

class Shadow {
public:
	explicit Shadow(uw_arch arch) : arch_(arch) {}
	// One instruction, at before.pc, was executed.
	void note(const uw_regs& before, const uw_regs& after, Target& target);
	// None was: a handler begins.
	void deliver(int signal, const uw_regs& before, const uw_regs& after, Target& target);
	const std::vector<Call>& calls() const { return calls_; } // outermost first
	// SP was raised above a call that has not returned, and control has not yet gone to
	// where that is: longjmp() and throw.
	bool leaving() const { return leaving_; }

private:
	void note_call_or_return(const uw_regs& before, const uw_regs& after, Target& target);
	void push(std::uint64_t ra, std::uint64_t cfa, const uw_regs& regs, int signal = 0);
	std::uint64_t sp(const uw_regs& regs) const { return regs.r[uw_arch_sp(arch_)]; }
	// The innermost call, unless that is a signal, which only its own system call ends.
	const Call* top() const { return calls_.empty() || calls_.back().signal ? nullptr : &calls_.back(); }
	void note_arm(const uw_regs& before, const uw_regs& after, Target& target);
	void note_link_register(bool is_call, bool is_return, std::uint64_t ra, const uw_regs& after);

	const uw_arch arch_;
	std::vector<Call> calls_;
	std::uint64_t pushed_ = 0;
	bool leaving_ = false;
};

} // namespace truth
