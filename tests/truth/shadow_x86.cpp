// SPDX-License-Identifier: GPL-2.0
// x86: a call pushes its return address; it is over once SP is above that.
#if defined(__x86_64__)
#include "shadow.h"

namespace truth {

namespace {

// bnd, notrack, size, FS, GS; REX, which on i386 is an instruction
bool is_prefix(std::uint8_t byte, uw_arch arch)
{
	const bool rex = (byte & 0xf0) == 0x40;
	return byte == 0xf2 || byte == 0x3e || byte == 0x66 || byte == 0x64 || byte == 0x65 ||
	       (rex && arch == UW_ARCH_X86_64);
}

bool is_call(const std::uint8_t (&code)[16], uw_arch arch)
{
	int at = 0;
	while (at < 8 && is_prefix(code[at], arch))
		at++;
	return code[at] == 0xe8 || (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2);
}

} // namespace

// A call to where it returns to only asks for its own address.
void Shadow::note_call_or_return(const uw_regs& before, const uw_regs& after, Target& target)
{
	const std::uint8_t word = uw_abis[arch_].word;
	std::uint8_t code[16] = {};
	for (std::size_t i = 0; i < sizeof(code); i += word) {
		std::uint64_t value = 0;
		target.word(before.pc + i, value);
		for (std::size_t byte = 0; byte < word; byte++)
			code[i + byte] = static_cast<std::uint8_t>(value >> 8 * byte);
	}
	while (top() && top()->cfa - word < sp(after))
		calls_.pop_back();
	std::uint64_t ra = 0;
	if (is_call(code, arch_) && sp(after) == sp(before) - word && target.word(sp(after), ra) && ra != after.pc)
		push(ra, sp(before), before);
}

} // namespace truth
#endif
