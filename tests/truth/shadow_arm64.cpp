// SPDX-License-Identifier: GPL-2.0
// arm64: a call puts its return address into the link register.
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

void Shadow::note_call_or_return(const uw_regs& before, const uw_regs& after, Target& target)
{
	if (arch_ == UW_ARCH_ARM)
		return note_arm(before, after, target);
	std::uint64_t pair = 0;
	target.word(before.pc & ~7ull, pair);
	const auto word = static_cast<std::uint32_t>(before.pc & 4 ? pair >> 32 : pair);
	note_link_register(is_call(word), is_return(word), before.pc + 4, after);
}

} // namespace truth
#endif
