// SPDX-License-Identifier: GPL-2.0
// What T32 and A32 have in common. For this folder only.
#pragma once

#include "tables/isa/arm/instruction.h"

extern "C" {
#include "types.h"
}

#include <bit>

namespace uwind::arm_parts {

// How far beyond an instruction PC reads.
constexpr std::uint32_t a32_pc_ahead = 8, t32_pc_ahead = 4;

constexpr std::uint8_t sp = UW_ARM_SP, lr = UW_ARM_LR, pc = UW_ARM_PC;

constexpr std::uint32_t bits(std::uint32_t word, unsigned from, unsigned count)
{
	return word >> from & ((1u << count) - 1);
}

constexpr bool bit(std::uint32_t word, unsigned at)
{
	return word >> at & 1;
}

constexpr std::uint8_t reg(std::uint32_t word, unsigned from)
{
	return static_cast<std::uint8_t>(bits(word, from, 4));
}

constexpr std::int32_t signed_bits(std::uint32_t word, unsigned from, unsigned count)
{
	return static_cast<std::int32_t>(word << (32 - from - count)) >> (32 - count);
}

constexpr std::uint16_t mask(unsigned number)
{
	return static_cast<std::uint16_t>(1u << number);
}

// A memory operand: base, and an immediate unless by_register.
struct Operand {
	std::uint8_t base;
	std::int32_t offset;
	bool before;      // the offset counts for the access
	bool writes_back; // the base becomes base + offset
	bool by_register = false;
};

// Fills an instruction, which is empty at first. pc_value: what it reads from PC.
class ArmParts {
public:
	ArmParts(std::uint32_t word, std::uint32_t pc_value, ArmInstruction& result)
	    : word_(word), pc_value_(pc_value), result_(result)
	{
	}
	void finish(unsigned bytes)
	{
		if (known_)
			result_.bytes = bytes;
		else
			result_ = ArmInstruction{};
	}

protected:
	void unknown() { known_ = false; }
	void stop() { result_.flow = ArmFlow::stop; }
	void write(unsigned number);
	void branch(ArmFlow flow, std::int32_t offset, bool thumb);
	void jump_through(std::uint8_t number);
	void call_through(std::uint8_t number);
	void copy(std::uint8_t to, std::uint8_t from) { add(to, from, 0); }
	void add(std::uint8_t to, std::uint8_t from, std::int32_t value);
	void index(ArmIndexed how, std::uint8_t to, std::uint8_t base, std::uint8_t number);
	void compare(std::uint8_t number, std::uint32_t value);
	void compare_registers(std::uint8_t number, std::uint8_t other);
	void set(std::uint8_t number, std::uint32_t value);
	void transfer(bool load, std::uint8_t number, const Operand& at);
	void transfer_part(bool load, std::uint8_t number, const Operand& at);
	void transfer_pair(bool load, std::uint8_t first, std::uint8_t second, const Operand& at);
	void transfer_list(bool load, std::uint8_t base, std::uint16_t list, bool up, bool before, bool writes_back);
	void coprocessor();

	const std::uint32_t word_, pc_value_;
	ArmInstruction& result_;

private:
	void access(bool load, std::uint16_t registers, const Operand& at);
	void note_literal(const Operand& at, unsigned bytes);
	void write_back(const Operand& at);
	void coprocessor_memory();

	bool known_ = true;
};

ArmInstruction decode_thumb(std::uint32_t word, std::uint32_t address);
ArmInstruction decode_thumb_wide(std::uint32_t word, std::uint32_t address);
ArmInstruction decode_a32(std::uint32_t word, std::uint32_t address);

} // namespace uwind::arm_parts
