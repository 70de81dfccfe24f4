// SPDX-License-Identifier: GPL-2.0
// One x86 instruction: how long it is, and its operands as far as frames are made of them.
#pragma once

#include "base/byte_cursor.h"

#include <cstdint>

namespace uwind {

// Opcode maps (Intel SDM, volume 2, appendix A).
enum class OpcodeMap : std::uint8_t { one, two, three_38, three_3a };

// Registers as instructions number them. DWARF numbers the registers of amd64 in another way.
enum X86Register : std::uint8_t { x86_bx = 3, x86_sp = 4, x86_bp = 5 };

struct X86Instruction {
	unsigned bytes = 0; // 0: no instruction, not understood, or cut off
	OpcodeMap map = OpcodeMap::one;
	std::uint8_t opcode = 0;
	bool vector = false;   // VEX or EVEX
	bool narrow = false;   // operand size prefix: 16 bits
	bool repeated = false; // F2 or F3
	bool wide = false;     // REX.W
	bool has_modrm = false;
	std::uint8_t mod = 0; // 3: the operand is a register
	// Register numbers with the prefixes' bits; rm is a memory operand's base.
	std::uint8_t reg = 0, rm = 0;
	bool plain_base = false; // memory: base register and displacement, nothing else
	std::uint8_t other = 0;  // vector: the third register (VEX.vvvv)
	std::int32_t displacement = 0;
	std::int64_t immediate = 0; // of jumps: from the next instruction

	bool is(std::uint8_t code) const { return map == OpcodeMap::one && !vector && opcode == code; }
	// The opcode's extension: the ModRM byte's middle field.
	unsigned extension() const { return reg & 7u; }
	bool on_register() const { return has_modrm && mod == 3; }
};

// The instruction that code begins with, of 64- or 32-bit code.
X86Instruction decode_x86(Bytes code, bool is_64);

} // namespace uwind
