// SPDX-License-Identifier: GPL-2.0
// T32, 16-bit encodings: Arm Architecture Reference Manual ARMv7-A/R (DDI 0406C), A6.
#include "tables/isa/arm/instruction_parts.h"

namespace uwind::arm_parts {
namespace {

class ThumbDecoder : public ArmParts {
public:
	ThumbDecoder(std::uint32_t word, std::uint32_t address, ArmInstruction& result)
	    : ArmParts(word, address + t32_pc_ahead, result)
	{
	}
	void run();

private:
	void immediates();
	void registers();
	void high_registers();
	void load_store_by_register();
	void load_store();
	void address();
	void miscellaneous();
	void extend();
	void push_pop();
	void hints();
	void list();
	void conditional_branch();
};

std::uint8_t low(std::uint32_t word, unsigned from)
{
	return static_cast<std::uint8_t>(bits(word, from, 3));
}

// Shift, add, subtract, move, compare: A6.2.1.
void ThumbDecoder::immediates()
{
	const std::uint8_t to = low(word_, 0), from = low(word_, 3), wide_to = low(word_, 8);
	const auto value = static_cast<std::int32_t>(bits(word_, 0, 8)),
		   small = static_cast<std::int32_t>(low(word_, 6));
	switch (bits(word_, 11, 3)) {
	case 0:
		return bits(word_, 6, 5) ? write(to) : copy(to, from);
	case 3:
		if (!bit(word_, 10)) {
			if (!bit(word_, 9))
				index(ArmIndexed::sum, to, from, low(word_, 6));
			return write(to);
		}
		return add(to, from, bit(word_, 9) ? -small : small);
	case 5:
		return compare(wide_to, bits(word_, 0, 8));
	case 6:
		return add(wide_to, wide_to, value);
	case 7:
		return add(wide_to, wide_to, -value);
	case 4:
		return set(wide_to, bits(word_, 0, 8));
	default:
		return write(to);
	}
}

// A6.2.2
void ThumbDecoder::registers()
{
	const std::uint32_t what = bits(word_, 6, 4);
	result_.sets_flags = what == 8 || what == 10 || what == 11; // tst, cmp, cmn
	if (what == 10)
		return compare_registers(low(word_, 0), low(word_, 3));
	if (!result_.sets_flags)
		write(low(word_, 0));
}

// A6.2.3
void ThumbDecoder::high_registers()
{
	const auto to = static_cast<std::uint8_t>(low(word_, 0) | bits(word_, 7, 1) << 3);
	const std::uint8_t from = reg(word_, 3);
	switch (bits(word_, 8, 2)) {
	case 0:
		index(ArmIndexed::sum, to, to, from);
		if (to == pc)
			return jump_through(pc);
		return write(to);
	case 1:
		return compare_registers(to, from);
	case 2:
		if (to == pc)
			return jump_through(from);
		return copy(to, from);
	default:
		return bit(word_, 7) ? call_through(from) : jump_through(from);
	}
}

void ThumbDecoder::load_store_by_register()
{
	const std::uint32_t what = bits(word_, 9, 3);
	const Operand at{low(word_, 3), 0, true, false, true};
	if (what == 0 || what == 4)
		return transfer(what == 4, low(word_, 0), at);
	transfer_part(what >= 3, low(word_, 0), at);
}

void ThumbDecoder::load_store()
{
	const bool load = bit(word_, 11);
	const auto offset = static_cast<std::int32_t>(bits(word_, 6, 5));
	const Operand at{low(word_, 3), offset * 4, true, false};
	switch (bits(word_, 12, 4)) {
	case 6:
		return transfer(load, low(word_, 0), at);
	case 9:
		return transfer(load, low(word_, 8),
				{sp, static_cast<std::int32_t>(bits(word_, 0, 8) * 4), true, false});
	default:
		return transfer_part(load, low(word_, 0), at);
	}
}

// adr; add to SP.
void ThumbDecoder::address()
{
	add(low(word_, 8), bit(word_, 11) ? sp : pc, static_cast<std::int32_t>(bits(word_, 0, 8) * 4));
}

void ThumbDecoder::push_pop()
{
	const bool load = bit(word_, 11);
	const auto other = bit(word_, 8) ? mask(load ? pc : lr) : 0;
	transfer_list(load, sp, static_cast<std::uint16_t>(bits(word_, 0, 8) | other), load, !load, true);
}

void ThumbDecoder::hints()
{
	const std::uint32_t block = bits(word_, 0, 4), condition = bits(word_, 4, 4);
	if (!block)
		return;
	if (condition == 15)
		return unknown();
	const unsigned length = 4u - static_cast<unsigned>(std::countr_zero(block));
	result_.block = static_cast<std::uint8_t>(length);
	result_.block_condition = static_cast<std::uint8_t>(condition);
	for (unsigned i = 1; i < length; i++)
		if (bit(word_, 4 - i) != bit(condition, 0))
			result_.opposite |= 1u << i;
}

void ThumbDecoder::extend()
{
	const bool undefined = bits(word_, 6, 6) == 0x2a; // hlt
	return undefined ? stop() : write(low(word_, 0));
}

// A6.2.5
void ThumbDecoder::miscellaneous()
{
	const auto to_sp = static_cast<std::int32_t>(bits(word_, 0, 7) * 4);
	const auto ahead = static_cast<std::int32_t>(bits(word_, 3, 5) * 2 + bits(word_, 9, 1) * 64);
	switch (bits(word_, 8, 4)) {
	case 0:
		return add(sp, sp, bit(word_, 7) ? -to_sp : to_sp);
	case 1:
	case 3:
	case 9:
	case 11:
		result_.condition = bit(word_, 11) ? 1 : 0;
		result_.tests_register = true;
		return branch(ArmFlow::jump, ahead, true);
	case 2:
	case 10:
		return extend();
	case 4:
	case 5:
	case 12:
	case 13:
		return push_pop();
	case 6:
		return bits(word_, 5, 3) == 2 || bits(word_, 5, 3) == 3 ? void() : unknown(); // setend, cps
	case 14:
		return stop(); // bkpt
	case 15:
		return hints();
	default:
		return unknown();
	}
}

void ThumbDecoder::list()
{
	const auto registers = static_cast<std::uint16_t>(bits(word_, 0, 8));
	transfer_list(bit(word_, 11), low(word_, 8), registers, true, false, true);
}

void ThumbDecoder::conditional_branch()
{
	const std::uint8_t condition = reg(word_, 8);
	if (condition == 14)
		return stop(); // udf
	if (condition == 15)
		return; // svc
	result_.condition = condition;
	branch(ArmFlow::jump, signed_bits(word_, 0, 8) * 2, true);
}

// A6.2
void ThumbDecoder::run()
{
	if (word_ < 0x4000)
		return immediates();
	if (word_ < 0x4400)
		return registers();
	if (word_ < 0x4800)
		return high_registers();
	if (word_ < 0x5000)
		return transfer(true, low(word_, 8),
				{pc, static_cast<std::int32_t>(bits(word_, 0, 8) * 4), true, false});
	if (word_ < 0x6000)
		return load_store_by_register();
	if (word_ < 0xa000)
		return load_store();
	if (word_ < 0xb000)
		return address();
	if (word_ < 0xc000)
		return miscellaneous();
	if (word_ < 0xd000)
		return list();
	if (word_ < 0xe000)
		return conditional_branch();
	branch(ArmFlow::jump, signed_bits(word_, 0, 11) * 2, true);
}

} // namespace

ArmInstruction decode_thumb(std::uint32_t word, std::uint32_t address)
{
	ArmInstruction result;
	ThumbDecoder decoder(word, address, result);
	decoder.run();
	decoder.finish(2);
	return result;
}

} // namespace uwind::arm_parts
