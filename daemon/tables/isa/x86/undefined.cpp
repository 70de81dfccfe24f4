// SPDX-License-Identifier: GPL-2.0
// Intel SDM, volume 2, tables A-2 (opcodes), A-3 (two bytes) and A-6 (groups); AMD64 manual, volume 3, appendix A.
#include "tables/isa/x86/instruction_parts.h"

namespace uwind {
namespace {

// What became invalid with 64-bit code.
bool is_gone(std::uint8_t opcode)
{
	switch (opcode) {
	case 0x06: // push and pop of segment registers
	case 0x07:
	case 0x0e:
	case 0x16:
	case 0x17:
	case 0x1e:
	case 0x1f:
	case 0x27: // decimal arithmetic
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0xd4:
	case 0xd5:
	case 0x60: // pusha, popa
	case 0x61:
	case 0x82:
	case 0x9a: // far call and jump
	case 0xea:
	case 0xce: // into
	case 0xd6: // salc
		return true;
	default:
		return false;
	}
}

bool is_undefined_one(const X86Instruction& instruction)
{
	constexpr unsigned cs = 1, segments = 6;
	const unsigned extension = instruction.extension();
	const bool on_register = instruction.on_register();
	switch (instruction.opcode) {
	case 0x8c: // mov of segment registers
		return extension >= segments;
	case 0x8e:
		return extension >= segments || extension == cs;
	case 0x8d: // lea
		return on_register;
	case 0xc6: // mov; xabort, xbegin
	case 0xc7:
		return extension && !(extension == 7 && on_register && !(instruction.rm & 7));
	case 0xfe: // inc, dec
		return extension > 1;
	case 0xff: // inc, dec, call, far call, jmp, far jmp, push
		return extension == 7 || (on_register && (extension == 3 || extension == 5));
	default:
		return false;
	}
}

bool is_undefined_two(const X86Instruction& instruction)
{
	switch (instruction.opcode) {
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x24:
	case 0x25:
	case 0x26:
	case 0x27:
	case 0x36:
	case 0x39:
	case 0x3b:
	case 0x3c:
	case 0x3d:
	case 0x3e:
	case 0x3f:
	case 0x7a:
	case 0x7b:
		return true;
	case 0xba: // bt, bts, btr, btc
		return instruction.extension() < 4;
	case 0xc7: // cmpxchg8b, and others with 3 to 7
		return instruction.extension() == 0 || instruction.extension() == 2;
	default:
		return false;
	}
}

} // namespace

bool is_undefined_x86(const X86Instruction& instruction, bool is_64)
{
	if (instruction.vector)
		return false;
	if (instruction.map == OpcodeMap::two)
		return is_undefined_two(instruction);
	return instruction.map == OpcodeMap::one &&
	       ((is_64 && is_gone(instruction.opcode)) || is_undefined_one(instruction));
}

} // namespace uwind
