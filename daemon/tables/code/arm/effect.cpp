// SPDX-License-Identifier: GPL-2.0
// An instruction that writes SP, r7, r11 or LR is either understood or makes that
// register unknown.
#include "tables/code/arm/effect.h"

#include <bit>

#include "tables/code/arm/registers.h"

namespace uwind {
namespace {

using namespace arm_registers;

// Calls with each number of a mask, rising, but for PC.
template <typename Visit>
void for_each(std::uint16_t mask, const Visit& visit)
{
	for (unsigned left = mask & ((1u << ArmFrame::nr_regs) - 1); left; left &= left - 1)
		visit(static_cast<std::uint8_t>(std::countr_zero(left)));
}

void add(const ArmInstruction& instruction, ArmFrame& frame)
{
	const std::optional<std::int64_t> to_cfa = frame.to_cfa(instruction.base);
	if (instruction.to == instruction.base && !instruction.offset)
		return;
	if (!to_cfa && !instruction.offset)
		return frame.copy(instruction.to, instruction.base);
	if (instruction.to != sp || !to_cfa)
		frame.change(mask_of(instruction.to));
	if (to_cfa)
		frame.set_base(instruction.to, *to_cfa - instruction.offset);
}

void move_base(const ArmInstruction& instruction, ArmFrame& frame)
{
	if (!instruction.moved)
		return;
	const std::optional<std::int64_t> to_cfa = frame.to_cfa(instruction.base);
	if (!to_cfa || instruction.base != sp)
		frame.change(mask_of(instruction.base));
	if (to_cfa)
		frame.set_base(instruction.base, *to_cfa - instruction.moved);
}

void store(const ArmInstruction& instruction, ArmFrame& frame)
{
	const std::optional<std::int64_t> to_cfa = frame.to_cfa(instruction.base);
	std::int64_t below_cfa = to_cfa.value_or(0) - instruction.offset;
	move_base(instruction, frame);
	if (!to_cfa)
		return;
	for_each(instruction.registers, [&](std::uint8_t number) {
		frame.store(number, below_cfa);
		below_cfa -= 4;
	});
}

void load(const ArmInstruction& instruction, ArmFrame& frame)
{
	const std::optional<std::int64_t> to_cfa = frame.to_cfa(instruction.base);
	std::int64_t below_cfa = to_cfa.value_or(0) - instruction.offset;
	for_each(instruction.registers, [&](std::uint8_t number) {
		if (to_cfa)
			frame.load(number, below_cfa);
		else
			frame.change(mask_of(number));
		below_cfa -= 4;
	});
	move_base(instruction, frame);
}

} // namespace

void execute(const ArmInstruction& instruction, ArmFrame& frame)
{
	switch (instruction.action) {
	case ArmAction::add:
		add(instruction, frame);
		break;
	case ArmAction::load:
		load(instruction, frame);
		break;
	case ArmAction::store:
		store(instruction, frame);
		break;
	case ArmAction::none:
		break;
	}
	frame.change(instruction.writes);
	if (instruction.flow == ArmFlow::call)
		frame.call();
}

bool pushes_link(const ArmInstruction& instruction)
{
	return instruction.action == ArmAction::store && instruction.base == UW_ARM_SP && instruction.moved < 0 &&
	       instruction.registers >> UW_ARM_LR & 1;
}

bool jumps_back(const ArmInstruction& instruction, const ArmFrame& frame)
{
	if (instruction.through != pc)
		return frame.holds_link(instruction.through);
	if (instruction.action != ArmAction::load || !has(instruction.registers, pc))
		return false;
	const std::optional<std::int64_t> to_cfa = frame.to_cfa(instruction.base);
	const int last = 4 * (std::popcount(instruction.registers) - 1);
	return to_cfa && frame.link_is_at(*to_cfa - instruction.offset - last);
}

bool jumps_through_computed_link(const ArmInstruction& instruction, const ArmFrame& frame)
{
	return instruction.through == lr && frame.has_computed_link();
}

bool returns_wrongly(const ArmInstruction& instruction, const ArmFrame& frame)
{
	ArmFrame after = frame;
	execute(instruction, after);
	return !jumps_back(instruction, frame) || !after.is_given_back();
}

} // namespace uwind
