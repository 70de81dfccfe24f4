// SPDX-License-Identifier: GPL-2.0
// T32, 32-bit encodings: Arm Architecture Reference Manual ARMv7-A/R (DDI 0406C), A6.3.
#include "tables/isa/arm/instruction_parts.h"

namespace uwind::arm_parts {
namespace {

class WideThumbDecoder : public ArmParts {
public:
	WideThumbDecoder(std::uint32_t word, std::uint32_t address, ArmInstruction& result)
	    : ArmParts(word, address + t32_pc_ahead, result)
	{
	}
	void run();

private:
	void wide_list();
	void wide_memory();
	void exclusive();
	void pair();
	void table();
	void shifted_register();
	void modified_immediate();
	void plain_immediate();
	void wide_branch();
	void system();
	void load_store_single();
	void vector_memory();
	void register_results();
	std::int32_t modified() const;
	std::uint8_t first(unsigned from) const { return reg(word_ >> 16, from); }
};

// A6.3.5
void WideThumbDecoder::wide_list()
{
	const bool load = bit(word_, 20), up = bit(word_, 23), before = bit(word_, 24);
	if (up == before)
		return stop(); // srs, rfe
	transfer_list(load, first(0), static_cast<std::uint16_t>(word_), up, !up, bit(word_, 21));
}

void WideThumbDecoder::pair()
{
	const auto value = static_cast<std::int32_t>(bits(word_, 0, 8) * 4);
	const Operand at{first(0), bit(word_, 23) ? value : -value, bit(word_, 24), bit(word_, 21)};
	transfer_pair(bit(word_, 20), reg(word_, 12), reg(word_, 8), at);
}

void WideThumbDecoder::table()
{
	result_.flow = ArmFlow::computed_jump;
	result_.through = pc;
	index(bit(word_, 4) ? ArmIndexed::table_of_halves : ArmIndexed::table_of_bytes, pc, first(0), reg(word_, 0));
}

// Load and store exclusive, acquire and release: A6.3.6.
void WideThumbDecoder::exclusive()
{
	const bool load = bit(word_, 20);
	if (!bit(word_, 23))
		return write(load ? reg(word_, 12) : reg(word_, 8));
	const std::uint32_t what = bits(word_, 4, 4);
	if (load && what < 2)
		return table();
	const bool two = what == 7 || what == 15, release = what >= 8 && what < 11;
	if (what < 4 || what == 6 || what == 11)
		return unknown();
	if (load)
		write(reg(word_, 12));
	if (load && two)
		write(reg(word_, 8));
	if (!load && !release)
		write(reg(word_, 0));
}

void WideThumbDecoder::wide_memory()
{
	if (!bit(word_, 22))
		return wide_list();
	return bit(word_, 24) || bit(word_, 21) ? pair() : exclusive();
}

// A6.3.11
void WideThumbDecoder::shifted_register()
{
	const std::uint32_t what = bits(word_, 21, 4), shift = bits(word_, 12, 3) << 2 | bits(word_, 6, 2);
	const std::uint8_t to = reg(word_, 8);
	result_.sets_flags = bit(word_, 20);
	const bool compares = to == pc && bit(word_, 20) && (what == 0 || what == 4 || what == 8 || what == 13);
	if (what == 5 || what == 7 || what == 9 || what == 12 || what == 15)
		return unknown();
	const bool shifted = shift || bits(word_, 4, 2);
	if (what == 2 && first(0) == pc && !shifted && to != pc)
		return copy(to, reg(word_, 0));
	if (what == 8 && !shifted)
		index(ArmIndexed::sum, to, first(0), reg(word_, 0));
	if (!compares)
		write(to);
}

// ThumbExpandImm: A6.3.2.
std::int32_t WideThumbDecoder::modified() const
{
	const std::uint32_t value = bits(word_, 0, 8), kind = bits(word_, 26, 1) << 3 | bits(word_, 12, 3);
	if (kind >= 4)
		return static_cast<std::int32_t>(
			std::rotr(0x80 | bits(word_, 0, 7), static_cast<int>(kind << 1 | bits(word_, 7, 1))));
	const std::uint32_t patterns[] = {value, value << 16 | value, value << 24 | value << 8, value * 0x01010101};
	return static_cast<std::int32_t>(patterns[kind]);
}

// A6.3.1
void WideThumbDecoder::modified_immediate()
{
	const std::uint32_t what = bits(word_, 21, 4);
	const std::uint8_t to = reg(word_, 8), from = first(0);
	const bool sets = result_.sets_flags = bit(word_, 20);
	if (what == 5 || what == 6 || what == 7 || what == 9 || what == 12 || what == 15)
		return unknown();
	if (to == pc && sets && what == 13)
		return compare(from, static_cast<std::uint32_t>(modified()));
	if (to == pc && sets && (what == 0 || what == 4 || what == 8))
		return;
	if (what == 2 && from == pc)
		return set(to, static_cast<std::uint32_t>(modified()));
	if (what == 8 || what == 13)
		return add(to, from, what == 8 ? modified() : -modified());
	write(to);
}

// A6.3.3
void WideThumbDecoder::plain_immediate()
{
	const std::uint32_t what = bits(word_, 20, 5);
	const std::uint8_t to = reg(word_, 8);
	const auto value =
		static_cast<std::int32_t>(bits(word_, 26, 1) << 11 | bits(word_, 12, 3) << 8 | bits(word_, 0, 8));
	if (what & 1 || what == 2 || what == 6 || what == 8 || what == 14 || what == 30)
		return unknown();
	if (what == 0 || what == 10)
		return add(to, first(0), what ? -value : value);
	if (what == 4)
		return set(to, static_cast<std::uint32_t>(value) | bits(word_, 16, 4) << 12);
	write(to);
}

// A6.3.4: hints, status registers, barriers, exceptions.
void WideThumbDecoder::system()
{
	const std::uint32_t what = bits(word_, 20, 7);
	if (what == 0x7f && bit(word_, 13))
		return stop(); // udf
	if (what == 0x3c)
		return jump_through(first(0)); // bxj
	if (what == 0x3d)
		return stop(); // exception return
	if (what == 0x3e || what == 0x3f)
		write(reg(word_, 8));
}

void WideThumbDecoder::wide_branch()
{
	const bool links = bit(word_, 14), thumb = bit(word_, 12), minus = bit(word_, 26);
	if (!links && !thumb) {
		if (bits(word_, 23, 3) == 7)
			return system();
		const std::uint32_t far = bits(word_, 26, 1) << 19 | bits(word_, 11, 1) << 18 |
					  bits(word_, 13, 1) << 17 | bits(word_, 16, 6) << 11 | bits(word_, 0, 11);
		result_.condition = reg(word_, 22);
		return branch(ArmFlow::jump, signed_bits(far, 0, 20) * 2, true);
	}
	const std::uint32_t far = bits(word_, 26, 1) << 23 | (bit(word_, 13) == minus) << 22 |
				  (bit(word_, 11) == minus) << 21 | bits(word_, 16, 10) << 11 | bits(word_, 0, 11);
	branch(links ? ArmFlow::call : ArmFlow::jump, signed_bits(far, 0, 24) * 2, thumb);
	if (!thumb)
		result_.target &= ~3u;
}

// A6.3.7 to A6.3.10
void WideThumbDecoder::load_store_single()
{
	const bool load = bit(word_, 20), sign = bit(word_, 24), word = bits(word_, 21, 2) == 2;
	const std::uint8_t number = reg(word_, 12), base = first(0);
	const auto far = static_cast<std::int32_t>(bits(word_, 0, 12)),
		   near = static_cast<std::int32_t>(bits(word_, 0, 8));
	Operand at{base, far, true, false};
	if (bits(word_, 21, 2) == 3 || (!load && sign) || (word && sign) || (!load && base == pc))
		return unknown();
	if (base == pc)
		at.offset = bit(word_, 23) ? far : -far;
	else if (!bit(word_, 23) && bit(word_, 11))
		at = {base, bit(word_, 9) ? near : -near, bit(word_, 10), bit(word_, 8)};
	else if (!bit(word_, 23))
		at.by_register = true;
	if (at.by_register && bits(word_, 6, 6))
		return unknown();
	if (load && word && at.by_register && bits(word_, 4, 2) == 2)
		index(ArmIndexed::load, number, base, reg(word_, 0));
	if (word)
		return transfer(load, number, at);
	if (number != pc || !load) // else a preload
		transfer_part(load, number, at);
}

// NEON structures: A7.7.
void WideThumbDecoder::vector_memory()
{
	if (reg(word_, 0) != pc)
		write(first(0));
}

// A6.3.12 to A6.3.17
void WideThumbDecoder::register_results()
{
	const bool long_multiply = bits(word_, 23, 4) == 7;
	const std::uint32_t what = bits(word_, 20, 3);
	write(reg(word_, 8));
	if (long_multiply && what != 1 && what != 3) // else divisions
		write(reg(word_, 12));
}

// A6.3
void WideThumbDecoder::run()
{
	if (bits(word_, 24, 4) == 15)
		return; // NEON: A7.4
	if (bits(word_, 26, 2) == 3)
		return coprocessor();
	if (!bit(word_, 28))
		return bit(word_, 25) ? shifted_register() : wide_memory();
	if (!bit(word_, 27)) {
		if (bit(word_, 15))
			return wide_branch();
		return bit(word_, 25) ? plain_immediate() : modified_immediate();
	}
	if (bit(word_, 25))
		return register_results();
	return bit(word_, 24) && !bit(word_, 20) ? vector_memory() : load_store_single();
}

} // namespace

ArmInstruction decode_thumb_wide(std::uint32_t word, std::uint32_t address)
{
	ArmInstruction result;
	WideThumbDecoder decoder(word, address, result);
	decoder.run();
	decoder.finish(4);
	return result;
}

} // namespace uwind::arm_parts
