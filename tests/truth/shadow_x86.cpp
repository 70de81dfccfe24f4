// SPDX-License-Identifier: GPL-2.0
// x86-64: a call pushes its return address; it is over once SP is above that.
#if defined(__x86_64__)
#include "shadow.h"

namespace truth {

namespace {

bool is_prefix(std::uint8_t byte)
{
	return byte == 0xf2 || byte == 0x3e || byte == 0x66 || (byte & 0xf0) == 0x40; // bnd, notrack, size, REX
}

bool is_call(const std::uint8_t (&code)[16])
{
	int at = 0;
	while (at < 8 && is_prefix(code[at]))
		at++;
	return code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2);
}

} // namespace

void Shadow::note(const uw_regs& before, const uw_regs& after, Target& target)
{
	const std::uint64_t sp = after.r[UW_X86_SP];
	std::uint8_t code[16] = {};
	for (std::size_t i = 0; i < sizeof(code); i += 8) {
		std::uint64_t word = 0;
		target.word(before.pc + i, word);
		for (std::size_t byte = 0; byte < 8; byte++)
			code[i + byte] = static_cast<std::uint8_t>(word >> 8 * byte);
	}
	while (!calls_.empty() && calls_.back().cfa - 8 < sp)
		calls_.pop_back();
	std::uint64_t ra = 0;
	if (is_call(code) && sp == before.r[UW_X86_SP] - 8 && target.word(sp, ra))
		calls_.push_back({ra, before.r[UW_X86_SP]});
}

} // namespace truth
#endif
