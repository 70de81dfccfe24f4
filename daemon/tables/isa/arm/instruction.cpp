// SPDX-License-Identifier: GPL-2.0
// A32: Arm Architecture Reference Manual ARMv7-A/R (DDI 0406C), A5.
#include "tables/isa/arm/instruction_parts.h"

namespace uwind::arm_parts {
namespace {

class A32Decoder : public ArmParts {
public:
	A32Decoder(std::uint32_t word, std::uint32_t address, ArmInstruction& result)
	    : ArmParts(word, address + a32_pc_ahead, result)
	{
	}
	void run();

private:
	void unconditional();
	void data_processing();
	void data_immediate();
	void arithmetic(bool plain_register, std::int32_t value);
	void multiply_or_exclusive();
	void multiply();
	void extra_load_store();
	void miscellaneous();
	void load_store();
	void media();
	void list();
	std::int32_t modified() const;
	std::uint8_t n() const { return reg(word_, 16); }
	std::uint8_t d() const { return reg(word_, 12); }
};

// A5.7
void A32Decoder::unconditional()
{
	const std::uint32_t head = bits(word_, 25, 3);
	if (head == 5) {
		branch(ArmFlow::call, signed_bits(word_, 0, 24) * 4, true);
		result_.target += bit(word_, 24) ? 2 : 0;
		return;
	}
	if (head == 6 || (head == 7 && !bit(word_, 24)))
		return coprocessor();
	if (head == 4)
		return stop();                                              // srs, rfe
	const bool structures = bits(word_, 24, 4) == 4 && !bit(word_, 20); // NEON: A7.7
	if (structures && reg(word_, 0) != pc)
		write(n());
	const bool known = structures || head == 1 || (head == 0 && bit(word_, 24)) || (head >= 2 && bit(word_, 20));
	if (!known || head == 7)
		unknown();
}

// ARMExpandImm: A5.2.4.
std::int32_t A32Decoder::modified() const
{
	return static_cast<std::int32_t>(std::rotr(bits(word_, 0, 8), static_cast<int>(2 * bits(word_, 8, 4))));
}

// The sixteen operations: A5.2.1 to A5.2.3. value: the second operand's, in case of an
// immediate or, if plain_register, of a register that is copied.
void A32Decoder::arithmetic(bool plain_register, std::int32_t value)
{
	const std::uint32_t what = bits(word_, 21, 4);
	const bool immediate = bit(word_, 25);
	result_.sets_flags = bit(word_, 20);
	if (what == 10 && immediate)
		compare(n(), static_cast<std::uint32_t>(value));
	if (what == 10 && plain_register)
		compare_registers(n(), reg(word_, 0));
	if (what >= 8 && what <= 11) // tst, teq, cmp, cmn
		return;
	if (d() == pc && result_.sets_flags)
		return stop(); // exception return
	if (what == 4 && !immediate && (plain_register || bits(word_, 4, 8) == 2 << 3))
		index(plain_register ? ArmIndexed::sum : ArmIndexed::branches, d(), n(), reg(word_, 0));
	if (d() == pc)
		return jump_through(what == 13 && plain_register ? reg(word_, 0) : pc);
	if (what == 13 && plain_register)
		return copy(d(), reg(word_, 0));
	if (immediate && (what == 2 || what == 4))
		return add(d(), n(), what == 4 ? value : -value);
	if (what == 13 && immediate)
		return set(d(), static_cast<std::uint32_t>(value));
	write(d());
}

// A5.2.5
void A32Decoder::multiply()
{
	const std::uint32_t what = bits(word_, 21, 3);
	result_.sets_flags = bit(word_, 20);
	write(n());
	if (what == 2 || what >= 4)
		write(d());
}

// A5.2.5, A5.2.10
void A32Decoder::multiply_or_exclusive()
{
	if (!bit(word_, 24))
		return multiply();
	const bool two = bits(word_, 21, 2) == 1, load = bit(word_, 20);
	if (d() != pc) // else stl
		write(d());
	if (load && two && bit(word_, 23))
		write(d() + 1u);
}

// A5.2.8
void A32Decoder::extra_load_store()
{
	const std::uint32_t what = bits(word_, 5, 2);
	const auto value = static_cast<std::int32_t>(bits(word_, 8, 4) << 4 | bits(word_, 0, 4));
	const bool before = bit(word_, 24), writes_back = !before || bit(word_, 21), load = bit(word_, 20);
	const Operand at{n(), bit(word_, 23) ? value : -value, before, writes_back, !bit(word_, 22)};
	if (what == 1 || load)
		return transfer_part(load, d(), at);
	if (d() & 1)
		return unknown();
	transfer_pair(what == 2, d(), d() + 1, at);
}

// A5.2.12, A5.2.7, A5.2.6
void A32Decoder::miscellaneous()
{
	const std::uint32_t what = bits(word_, 21, 2), kind = bits(word_, 4, 4);
	if (kind & 8) { // halves multiplied
		write(n());
		return what == 2 ? write(d()) : void();
	}
	switch (kind) {
	case 0:
		return what & 1 ? void() : write(d()); // msr, mrs
	case 1:
		return what == 1 ? jump_through(reg(word_, 0)) : what == 3 ? write(d()) : unknown();
	case 2:
		return what == 1 ? jump_through(reg(word_, 0)) : unknown();
	case 3:
		return what == 1 ? call_through(reg(word_, 0)) : unknown();
	case 4:
	case 5:
		return write(d()); // crc32, saturating
	case 7:
		return stop(); // bkpt, hvc, smc
	default:
		return unknown();
	}
}

void A32Decoder::data_processing()
{
	if (bit(word_, 4) && bit(word_, 7))
		return bits(word_, 5, 2) ? extra_load_store() : multiply_or_exclusive();
	if (bits(word_, 23, 2) == 2 && !bit(word_, 20))
		return miscellaneous();
	arithmetic(!bits(word_, 4, 8), 0);
}

void A32Decoder::data_immediate()
{
	if (bits(word_, 23, 2) != 2 || bit(word_, 20))
		return arithmetic(false, modified());
	if (bit(word_, 21))
		return; // msr, hints
	if (bit(word_, 22))
		return write(d()); // movt
	set(d(), bits(word_, 16, 4) << 12 | bits(word_, 0, 12));
}

// A5.3
void A32Decoder::load_store()
{
	const auto value = static_cast<std::int32_t>(bits(word_, 0, 12));
	const bool before = bit(word_, 24), writes_back = !before || bit(word_, 21), load = bit(word_, 20);
	const Operand at{n(), bit(word_, 23) ? value : -value, before, writes_back, bit(word_, 25)};
	if (bit(word_, 22))
		return transfer_part(load, d(), at);
	if (load && at.by_register && bits(word_, 4, 8) == 2 << 3 && before && !writes_back && bit(word_, 23))
		index(ArmIndexed::load, d(), n(), reg(word_, 0));
	transfer(load, d(), at);
}

// A5.4
void A32Decoder::media()
{
	const std::uint32_t what = bits(word_, 20, 5);
	if (what == 31 && bits(word_, 5, 3) == 7)
		return stop(); // udf
	const bool to_n = what >= 16 && what <= 24;
	write(to_n ? n() : d());
	if (what == 20)
		write(d());
}

// A5.5
void A32Decoder::list()
{
	if (bit(word_, 22))
		return stop(); // exception return, and registers of another mode
	const auto registers = static_cast<std::uint16_t>(word_);
	transfer_list(bit(word_, 20), n(), registers, bit(word_, 23), bit(word_, 24), bit(word_, 21));
}

// A5.1
void A32Decoder::run()
{
	if (bits(word_, 28, 4) == 15)
		return unconditional();
	result_.condition = reg(word_, 28);
	switch (bits(word_, 25, 3)) {
	case 0:
		return data_processing();
	case 1:
		return data_immediate();
	case 2:
		return load_store();
	case 3:
		return bit(word_, 4) ? media() : load_store();
	case 4:
		return list();
	case 5:
		return branch(bit(word_, 24) ? ArmFlow::call : ArmFlow::jump, signed_bits(word_, 0, 24) * 4, false);
	case 6:
		return coprocessor();
	default:
		return bit(word_, 24) ? void() : coprocessor(); // svc
	}
}

} // namespace

ArmInstruction decode_a32(std::uint32_t word, std::uint32_t address)
{
	ArmInstruction result;
	A32Decoder decoder(word, address, result);
	decoder.run();
	decoder.finish(4);
	return result;
}

} // namespace uwind::arm_parts
