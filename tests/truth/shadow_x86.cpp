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

enum class Flow { next, call, leave, jump };

// Returns, and jumps to a place in a register or in memory.
Flow flow_of(const std::uint8_t (&code)[16], uw_arch arch)
{
	int at = 0;
	while (at < 8 && is_prefix(code[at], arch))
		at++;
	const int extension = code[at] == 0xff ? code[at + 1] >> 3 & 7 : 0;
	if (code[at] == 0xe8 || extension == 2)
		return Flow::call;
	if (code[at] == 0xc3 || code[at] == 0xc2)
		return Flow::leave;
	return extension == 4 ? Flow::jump : Flow::next;
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
	const Flow flow = flow_of(code, arch_);
	if (flow != Flow::next)
		leaving_ = false;
	for (; top() && top()->cfa - word < sp(after); calls_.pop_back())
		leaving_ = flow == Flow::next;
	std::uint64_t ra = 0;
	if (flow == Flow::call && sp(after) == sp(before) - word && target.word(sp(after), ra) && ra != after.pc)
		push(ra, sp(before), before);
}

} // namespace truth
#endif
