// SPDX-License-Identifier: GPL-2.0
// Opcodes: Intel SDM, volume 2, appendix A.
#include "tables/code/x86/flow.h"

#include <algorithm>

namespace uwind {
namespace {

X86Flow flow_two(std::uint8_t op, std::int64_t target)
{
	if (op >= 0x80 && op <= 0x8f)
		return {X86Way::branch, target};
	const bool stops = op == 0x0b || op == 0xff || op == 0xb9 || op == 0x34; // ud2, ud0, ud1, sysenter
	return {stops ? X86Way::stop : X86Way::next, 0};
}

X86Flow flow_one(const X86Instruction& instruction, std::int64_t target)
{
	const std::uint8_t op = instruction.opcode;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xe0 && op <= 0xe3))
		return {X86Way::branch, target};
	switch (op) {
	case 0xe8:
		return {X86Way::call, target};
	case 0xe9:
	case 0xeb:
		return {X86Way::jump, target};
	case 0xc2:
	case 0xc3:
		return {X86Way::leave, 0};
	case 0xff:
		if (instruction.extension() == 4)
			return {X86Way::computed_jump, 0};
		return {instruction.extension() == 3 || instruction.extension() == 5 ? X86Way::stop : X86Way::next, 0};
	case 0x9a: // to another segment, and from there
	case 0xea:
	case 0xca:
	case 0xcb:
	case 0xcf:
	case 0xcc: // traps
	case 0xf4:
		return {X86Way::stop, 0};
	default:
		return {};
	}
}

} // namespace

X86Flow flow_x86(const X86Instruction& instruction, std::size_t at)
{
	// Of jumps the immediate has four bytes at most.
	const auto target =
		static_cast<std::int64_t>(at + instruction.bytes + static_cast<std::uint64_t>(instruction.immediate));
	if (instruction.vector)
		return {};
	if (instruction.map == OpcodeMap::two)
		return flow_two(instruction.opcode, target);
	return instruction.map == OpcodeMap::one ? flow_one(instruction, target) : X86Flow{};
}

bool is_padding_x86(const X86Instruction& instruction, Bytes code)
{
	const bool nop = instruction.is(0x90) || (instruction.map == OpcodeMap::two && instruction.opcode == 0x1f);
	const bool lea = instruction.is(0x8d) && instruction.plain_base && instruction.reg == instruction.rm &&
			 !instruction.displacement;
	const bool move = instruction.is(0x89) && instruction.on_register() && instruction.reg == instruction.rm;
	return instruction.is(0xcc) || nop || lea || move || is_blank_x86(code);
}

bool is_blank_x86(Bytes code)
{
	constexpr std::uint8_t nop = 0x90, ret = 0xc3, int3 = 0xcc;
	constexpr std::size_t run = 8; // one byte's
	if (code.size() > 1 && !code[0] && !code[1])
		return true;
	if (code.size() < run || code[0] == nop || code[0] == ret || code[0] == int3)
		return false;
	return std::all_of(code.begin(), code.begin() + run, [&](std::uint8_t byte) { return byte == code[0]; });
}

} // namespace uwind
