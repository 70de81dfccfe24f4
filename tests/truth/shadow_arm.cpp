// SPDX-License-Identifier: GPL-2.0
// 32-bit Arm, both instruction sets: a call puts its return address into the link
// register, with Thumb's bit; whatever else does not go on behind itself is a jump.
#include "shadow.h"

namespace truth {

namespace {

struct Instruction {
	std::uint32_t word; // Thumb: the first halfword is the upper one of two
	unsigned bytes;
};

// Where the first halfword's upper bits are 11101, 11110 or 11111, there is a second one.
Instruction thumb_at(std::uint64_t pc, Target& target)
{
	std::uint64_t value = 0;
	target.word(pc, value);
	const auto first = static_cast<std::uint32_t>(value & 0xffff), second = static_cast<std::uint32_t>(value >> 16);
	if (first >> 11 < 0x1d)
		return {first, 2};
	return {first << 16 | second, 4};
}

Instruction arm_at(std::uint64_t pc, Target& target)
{
	std::uint64_t value = 0;
	target.word(pc, value);
	return {static_cast<std::uint32_t>(value), 4};
}

// bl and blx to a label, blx to a register
bool is_thumb_call(Instruction at)
{
	if (at.bytes == 2)
		return (at.word & 0xff87) == 0x4780;
	return (at.word & 0xf800d000) == 0xf000d000 || (at.word & 0xf800d001) == 0xf000c000;
}

bool is_arm_call(std::uint32_t word)
{
	const bool always = word >> 28 == 0xf;
	return always ? (word & 0xfe000000) == 0xfa000000
		      : (word & 0x0f000000) == 0x0b000000 || (word & 0x0ffffff0) == 0x012fff30;
}

} // namespace

// A call whose condition does not hold goes on behind itself, and so may one that does:
// the link register tells them apart.
void Shadow::note_arm(const uw_regs& before, const uw_regs& after, Target& target)
{
	const Instruction at = before.thumb ? thumb_at(before.pc, target) : arm_at(before.pc, target);
	const std::uint64_t behind = before.pc + at.bytes;
	const bool is_call = (before.thumb ? is_thumb_call(at) : is_arm_call(at.word)) && after.pc != behind &&
			     after.r[UW_ARM_LR] == (behind | (before.thumb ? 1u : 0u));
	note_link_register(is_call, after.pc != behind, behind, after);
}

} // namespace truth
