// SPDX-License-Identifier: GPL-2.0
// arm64: a call puts its return address into the link register; it is over when
// that is where control goes, with the SP from before.
#if defined(__aarch64__)
#include "shadow.h"

namespace truth {

namespace {

bool is_call(std::uint32_t word)
{
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000; // bl, blr
}

// br, ret, retaa, retab
bool is_return(std::uint32_t word)
{
	return (word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffc1f) == 0xd61f0000 || word == 0xd65f0bff ||
	       word == 0xd65f0fff;
}

} // namespace

void Shadow::note(const uw_regs& before, const uw_regs& after, Target& target)
{
	const std::uint64_t sp = after.r[UW_ARM64_SP];
	std::uint64_t pair = 0;
	target.word(before.pc & ~7ull, pair);
	const auto word = static_cast<std::uint32_t>(before.pc & 4 ? pair >> 32 : pair);
	if (is_call(word)) {
		calls_.push_back({before.pc + 4, sp});
		return;
	}
	if (!calls_.empty() && calls_.back().cfa < sp)
		unwinding_ = true;
	if (!is_return(word) || calls_.empty())
		return;
	if (!unwinding_ && calls_.back().ra == after.pc && calls_.back().cfa == sp)
		calls_.pop_back();
	while (unwinding_ && !calls_.empty() && calls_.back().cfa <= sp)
		calls_.pop_back();
	unwinding_ = false;
}

} // namespace truth
#endif
