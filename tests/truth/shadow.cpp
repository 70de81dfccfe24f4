// SPDX-License-Identifier: GPL-2.0
// What is the same everywhere: signals, and calls by link register.
#include "shadow.h"

namespace truth {

void Shadow::push(std::uint64_t ra, std::uint64_t cfa, const uw_regs& regs, int signal)
{
	const uw_abi& abi = uw_abis[arch_];
	calls_.push_back({ra, cfa, regs.r[abi.fp], abi.base == UW_NO_REG ? 0 : regs.r[abi.base], signal, ++pushed_});
}

void Shadow::note(const uw_regs& before, const uw_regs& after, Target& target)
{
	if (calls_.empty() || !calls_.back().signal)
		return note_call_or_return(before, after, target);
	// The handler has returned.
	if (calls_.back().ra == after.pc && calls_.back().cfa == sp(after))
		calls_.pop_back();
}

// x86: a handler finds its return address where a call would have pushed it.
void Shadow::deliver(int signal, const uw_regs& before, const uw_regs& after, Target& target)
{
	const uw_abi& abi = uw_abis[arch_];
	std::uint64_t ra = 0;
	push(before.pc, sp(before), before, signal);
	if (abi.lr != UW_NO_REG)
		push(arch_ == UW_ARCH_ARM ? after.r[abi.lr] & ~1ull : after.r[abi.lr], sp(after), after);
	else if (target.word(sp(after), ra))
		push(ra, sp(after) + abi.word, after);
}

// A call is over when control goes where it returns to, with the SP from before.
void Shadow::note_link_register(bool is_call, bool is_return, std::uint64_t ra, const uw_regs& after)
{
	const std::uint64_t now = sp(after);
	if (is_call)
		return push(ra, now, after);
	if (top() && top()->cfa < now)
		leaving_ = true;
	if (!is_return || !top())
		return;
	if (!leaving_ && top()->ra == after.pc && top()->cfa == now)
		calls_.pop_back();
	while (leaving_ && top() && top()->cfa <= now)
		calls_.pop_back();
	leaving_ = false;
}

} // namespace truth
