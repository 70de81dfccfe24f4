// SPDX-License-Identifier: GPL-2.0
// Arm Architecture Reference Manual ARMv7-A/R (DDI 0406C): A5, A6, A7, A8.
#include "tables/isa/arm/instruction_parts.h"

namespace uwind::arm_parts {

// A register gets a value of which nothing is known.
void ArmParts::write(unsigned number)
{
	if (number == pc)
		return stop();
	result_.writes |= mask(number);
}

void ArmParts::branch(ArmFlow flow, std::int32_t offset, bool thumb)
{
	result_.flow = flow;
	result_.has_target = true;
	result_.target_thumb = thumb;
	result_.target = pc_value_ + static_cast<std::uint32_t>(offset);
}

void ArmParts::jump_through(std::uint8_t number)
{
	result_.flow = number == lr ? ArmFlow::leave : ArmFlow::computed_jump;
	result_.through = number;
}

void ArmParts::call_through(std::uint8_t number)
{
	result_.flow = ArmFlow::call;
	result_.through = number;
}

// add and sub of an immediate, mov of a register, adr.
void ArmParts::add(std::uint8_t to, std::uint8_t from, std::int32_t value)
{
	if (from == pc || to == pc) {
		result_.literal = from == pc ? (pc_value_ & ~3u) + static_cast<std::uint32_t>(value) : 0;
		return write(to);
	}
	result_.action = ArmAction::add;
	result_.to = to;
	result_.base = from;
	result_.offset = value;
}

void ArmParts::index(ArmIndexed how, std::uint8_t to, std::uint8_t base, std::uint8_t number)
{
	result_.indexed = how;
	result_.to = to;
	result_.base = base;
	result_.index = number;
}

void ArmParts::compare(std::uint8_t number, std::uint32_t value)
{
	result_.sets_flags = true;
	result_.compared = number;
	result_.value = value;
}

void ArmParts::compare_registers(std::uint8_t number, std::uint8_t other)
{
	result_.sets_flags = true;
	result_.compared = number;
	result_.compared_with = other;
}

void ArmParts::set(std::uint8_t number, std::uint32_t value)
{
	result_.constant = true;
	result_.value = value;
	write(number);
}

void ArmParts::note_literal(const Operand& at, unsigned bytes)
{
	result_.literal = (pc_value_ & ~3u) + static_cast<std::uint32_t>(at.offset);
	result_.literal_bytes = static_cast<std::uint8_t>(bytes);
}

void ArmParts::write_back(const Operand& at)
{
	if (!at.writes_back)
		return;
	if (at.by_register)
		return write(at.base);
	result_.action = ArmAction::add;
	result_.to = result_.base = at.base;
	result_.offset = at.offset;
}

// Whole words at consecutive addresses.
void ArmParts::access(bool load, std::uint16_t registers, const Operand& at)
{
	if (load && registers & mask(pc)) {
		const bool pops = at.base == sp && at.writes_back && !at.by_register;
		result_.flow = pops ? ArmFlow::leave : ArmFlow::computed_jump;
		result_.through = pc;
	}
	if (at.by_register || at.base == pc) {
		if (load)
			result_.writes |= registers & ~mask(pc);
		if (at.base == pc && !at.by_register)
			note_literal(at, 4u * static_cast<unsigned>(std::popcount(registers)));
		return write_back(at);
	}
	result_.action = load ? ArmAction::load : ArmAction::store;
	result_.registers = registers;
	result_.base = at.base;
	result_.offset = at.before ? at.offset : 0;
	result_.moved = at.writes_back ? at.offset : 0;
}

void ArmParts::transfer(bool load, std::uint8_t number, const Operand& at)
{
	access(load, mask(number), at);
}

// Bytes and halfwords, and what else is no value of a whole register.
void ArmParts::transfer_part(bool load, std::uint8_t number, const Operand& at)
{
	if (load)
		write(number);
	if (at.base == pc && !at.by_register)
		note_literal(at, 4);
	write_back(at);
}

void ArmParts::transfer_pair(bool load, std::uint8_t first, std::uint8_t second, const Operand& at)
{
	const auto both = static_cast<std::uint16_t>(mask(first) | mask(second));
	if (first < second && second != pc)
		return access(load, both, at);
	if (load)
		result_.writes |= both & ~mask(pc);
	if (at.base == pc)
		note_literal(at, 8);
	write_back(at);
}

void ArmParts::transfer_list(bool load, std::uint8_t base, std::uint16_t list, bool up, bool before, bool writes_back)
{
	const std::int32_t bytes = 4 * std::popcount(list);
	if (!list || base == pc)
		return unknown();
	access(load, list, {base, up ? bytes : -bytes, true, writes_back});
	result_.offset = up ? 4 * before : -bytes + 4 * !before;
	if (load && list & mask(base))
		result_.moved = 0;
}

// Load and store of extension registers, and of two core registers: A7.6, A7.9.
void ArmParts::coprocessor_memory()
{
	const bool before = bit(word_, 24), up = bit(word_, 23), writes_back = bit(word_, 21), load = bit(word_, 20);
	if (!before && !up && !writes_back) {
		if (!bit(word_, 22))
			return unknown();
		if (load) {
			write(reg(word_, 12));
			write(reg(word_, 16));
		}
		return;
	}
	const auto bytes = static_cast<std::int32_t>(bits(word_, 0, 8) * 4);
	const Operand at{reg(word_, 16), up ? bytes : -bytes, before, writes_back};
	if (at.base == pc && load)
		note_literal(at, reg(word_, 8) == 11 ? 8 : 4);
	write_back(at);
}

// A7.5 to A7.9, and A8.8 for coprocessors other than 10 and 11. The words of T32 and A32
// differ in their highest four bits only.
void ArmParts::coprocessor()
{
	if (!bit(word_, 25))
		return coprocessor_memory();
	const bool to_core = bit(word_, 4) && bit(word_, 20);
	if (to_core && reg(word_, 12) != pc)
		write(reg(word_, 12));
	result_.sets_flags = to_core;
}

} // namespace uwind::arm_parts

namespace uwind {

ArmInstruction decode_arm(Bytes code, std::uint32_t address, bool thumb)
{
	constexpr std::size_t half = 2, whole = 4;
	if (code.size() < (thumb ? half : whole))
		return ArmInstruction{};
	if (!thumb)
		return arm_parts::decode_a32(word_at(code, 0), address);
	const std::uint32_t first = half_at(code, 0);
	if (first < 0xe800)
		return arm_parts::decode_thumb(first, address);
	return code.size() < whole ? ArmInstruction{}
				   : arm_parts::decode_thumb_wide(first << 16 | half_at(code, half), address);
}

} // namespace uwind
