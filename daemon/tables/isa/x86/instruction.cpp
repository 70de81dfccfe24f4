// SPDX-License-Identifier: GPL-2.0
// Prefixes, opcode, ModRM, SIB, displacement, immediate: Intel SDM, volume 2, 2.1 to 2.7.
#include "tables/isa/x86/instruction.h"

#include "tables/isa/x86/instruction_parts.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr unsigned max_instruction_bytes = 15;

class Decoder {
public:
	Decoder(Bytes code, bool is_64)
	    : cursor_(code.first(std::min<std::size_t>(code.size(), max_instruction_bytes))), is_64_(is_64)
	{
	}
	X86Instruction run();

private:
	void prefixes();
	bool prefix(std::uint8_t byte);
	void opcode();
	bool vector_prefix(std::uint8_t byte);
	void vex2();
	void vex3(bool evex);
	void modrm();
	void memory_operand(std::uint8_t rm);
	void immediate();
	std::int64_t number(unsigned bytes);
	unsigned immediate_bytes() const;
	unsigned immediate_bytes_one() const;
	bool has_modrm_one() const;
	bool has_modrm_two() const;
	unsigned operand_bytes() const { return instruction_.narrow ? 2 : 4; }

	ByteCursor cursor_;
	const bool is_64_;
	X86Instruction instruction_;
	std::uint8_t first_ = 0; // the byte after the prefixes
	bool other_address_size_ = false;
	std::uint8_t r_ = 0, x_ = 0, b_ = 0; // 8, or 0
	bool known_ = true;
};

bool Decoder::prefix(std::uint8_t byte)
{
	switch (byte) {
	case 0x66:
		instruction_.narrow = true;
		return true;
	case 0x67:
		other_address_size_ = true;
		return true;
	case 0xf2:
	case 0xf3:
		instruction_.repeated = true;
		return true;
	case 0xf0:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x26:
	case 0x64:
	case 0x65:
		return true;
	default:
		return false;
	}
}

void Decoder::prefixes()
{
	first_ = cursor_.u8();
	while (cursor_.ok() && prefix(first_))
		first_ = cursor_.u8();
	if (!is_64_ || (first_ & 0xf0) != 0x40)
		return;
	instruction_.wide = first_ & 8;
	r_ = first_ & 4 ? 8 : 0;
	x_ = first_ & 2 ? 8 : 0;
	b_ = first_ & 1 ? 8 : 0;
	first_ = cursor_.u8();
}

// In 32-bit code these bytes are other instructions, unless no memory operand follows.
bool Decoder::vector_prefix(std::uint8_t byte)
{
	if (byte != 0xc4 && byte != 0xc5 && byte != 0x62)
		return false;
	ByteCursor next = cursor_;
	return is_64_ || next.u8() >= 0xc0;
}

void Decoder::vex2()
{
	const std::uint8_t bits = cursor_.u8();
	r_ = bits & 0x80 ? 0 : 8;
	instruction_.other = ~bits >> 3 & 15;
	instruction_.map = OpcodeMap::two;
}

void Decoder::vex3(bool evex)
{
	const std::uint8_t first = cursor_.u8(), second = cursor_.u8();
	r_ = first & 0x80 ? 0 : 8;
	x_ = first & 0x40 ? 0 : 8;
	b_ = first & 0x20 ? 0 : 8;
	instruction_.wide = second & 0x80;
	instruction_.other = ~second >> 3 & 15;
	if (evex)
		cursor_.skip(1);
	switch (first & (evex ? 7 : 31)) {
	case 1:
	case 5:
		instruction_.map = OpcodeMap::two;
		break;
	case 2:
	case 6:
		instruction_.map = OpcodeMap::three_38;
		break;
	case 3:
		instruction_.map = OpcodeMap::three_3a;
		break;
	default:
		known_ = false;
	}
}

void Decoder::opcode()
{
	if (vector_prefix(first_)) {
		instruction_.vector = true;
		if (first_ == 0xc5)
			vex2();
		else
			vex3(first_ == 0x62);
		instruction_.opcode = cursor_.u8();
		return;
	}
	instruction_.opcode = first_;
	if (first_ == 0x8f) {
		ByteCursor next = cursor_;
		known_ = !(next.u8() & 0x38); // else AMD's XOP
	}
	if (first_ != 0x0f)
		return;
	instruction_.map = OpcodeMap::two;
	instruction_.opcode = cursor_.u8();
	if (instruction_.opcode != 0x38 && instruction_.opcode != 0x3a)
		return;
	instruction_.map = instruction_.opcode == 0x38 ? OpcodeMap::three_38 : OpcodeMap::three_3a;
	instruction_.opcode = cursor_.u8();
}

bool Decoder::has_modrm_one() const
{
	const std::uint8_t op = instruction_.opcode;
	if (op < 0x40)
		return (op & 7) < 4;
	switch (op) {
	case 0x62:
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0xc0:
	case 0xc1:
	case 0xc4:
	case 0xc5:
	case 0xc6:
	case 0xc7:
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff:
		return true;
	default:
		return (op >= 0x80 && op <= 0x8f) || (op >= 0xd0 && op <= 0xd3) || (op >= 0xd8 && op <= 0xdf);
	}
}

bool Decoder::has_modrm_two() const
{
	const std::uint8_t op = instruction_.opcode;
	switch (op) {
	case 0x05:
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x09:
	case 0x0b:
	case 0x0e:
	case 0x77:
	case 0xa0:
	case 0xa1:
	case 0xa2:
	case 0xa8:
	case 0xa9:
	case 0xaa:
		return false;
	default:
		return !(op >= 0x30 && op <= 0x37) && !(op >= 0x80 && op <= 0x8f && !instruction_.vector) &&
		       !(op >= 0xc8 && op <= 0xcf && !instruction_.vector);
	}
}

void Decoder::memory_operand(std::uint8_t rm)
{
	std::uint8_t base = rm;
	instruction_.plain_base = true;
	if (rm == 4) {
		const std::uint8_t sib = cursor_.u8();
		base = sib & 7;
		instruction_.plain_base = ((sib >> 3 & 7) | x_) == 4;
	}
	instruction_.rm = base | b_;
	if (instruction_.mod == 0 && base == 5) {
		instruction_.plain_base = false;
		cursor_.skip(4);
	} else if (instruction_.mod == 1) {
		instruction_.displacement = static_cast<std::int8_t>(cursor_.u8());
	} else if (instruction_.mod == 2) {
		instruction_.displacement = static_cast<std::int32_t>(cursor_.u32());
	}
}

void Decoder::modrm()
{
	const bool present = instruction_.map == OpcodeMap::one   ? has_modrm_one()
			     : instruction_.map == OpcodeMap::two ? has_modrm_two()
								  : true;
	if (!present)
		return;
	const std::uint8_t byte = cursor_.u8();
	instruction_.has_modrm = true;
	instruction_.mod = byte >> 6;
	instruction_.reg = (byte >> 3 & 7) | r_;
	if (instruction_.mod == 3)
		instruction_.rm = (byte & 7) | b_;
	else if (other_address_size_ && !is_64_)
		known_ = false; // 16-bit addresses
	else
		memory_operand(byte & 7);
}

unsigned Decoder::immediate_bytes_one() const
{
	const std::uint8_t op = instruction_.opcode;
	const unsigned address = is_64_ && !other_address_size_ ? 8 : 4;
	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? operand_bytes() : 0;
	if ((op >= 0x70 && op <= 0x7f) || (op >= 0xb0 && op <= 0xb7) || (op >= 0xe0 && op <= 0xe7))
		return 1;
	if (op >= 0xa0 && op <= 0xa3)
		return address;
	if (op >= 0xb8 && op <= 0xbf)
		return instruction_.wide ? 8 : operand_bytes();
	switch (op) {
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x82:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xd4:
	case 0xd5:
	case 0xeb:
		return 1;
	case 0xc2:
	case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7:
		return operand_bytes();
	case 0xe8:
	case 0xe9:
		return is_64_ ? 4 : operand_bytes();
	case 0x9a:
	case 0xea:
		return operand_bytes() + 2;
	case 0xf6:
		return instruction_.extension() < 2 ? 1 : 0;
	case 0xf7:
		return instruction_.extension() < 2 ? operand_bytes() : 0;
	default:
		return 0;
	}
}

unsigned Decoder::immediate_bytes() const
{
	const std::uint8_t op = instruction_.opcode;
	switch (instruction_.map) {
	case OpcodeMap::one:
		return immediate_bytes_one();
	case OpcodeMap::three_3a:
		return 1;
	case OpcodeMap::three_38:
		return 0;
	case OpcodeMap::two:
		break;
	}
	if (op >= 0x80 && op <= 0x8f && !instruction_.vector)
		return is_64_ ? 4 : operand_bytes();
	const bool byte = op == 0x0f || (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba ||
			  op == 0xc2 || (op >= 0xc4 && op <= 0xc6);
	return byte ? 1 : 0;
}

std::int64_t Decoder::number(unsigned bytes)
{
	switch (bytes) {
	case 1:
		return static_cast<std::int8_t>(cursor_.u8());
	case 2:
		return static_cast<std::int16_t>(cursor_.u16());
	case 4:
		return static_cast<std::int32_t>(cursor_.u32());
	case 8:
		return static_cast<std::int64_t>(cursor_.u64());
	default:
		cursor_.skip(bytes);
		return 0;
	}
}

void Decoder::immediate()
{
	instruction_.immediate = number(immediate_bytes());
}

X86Instruction Decoder::run()
{
	prefixes();
	opcode();
	modrm();
	immediate();
	if (!cursor_.ok() || !known_ || is_undefined_x86(instruction_, is_64_))
		return X86Instruction{};
	// A register in the opcode.
	if (!instruction_.has_modrm)
		instruction_.rm = (instruction_.opcode & 7) | b_;
	instruction_.bytes = static_cast<unsigned>(cursor_.position());
	return instruction_;
}

} // namespace

X86Instruction decode_x86(Bytes code, bool is_64)
{
	return Decoder(code, is_64).run();
}

} // namespace uwind
