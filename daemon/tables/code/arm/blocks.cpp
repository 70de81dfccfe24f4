// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/blocks.h"

namespace uwind {
namespace {

constexpr std::size_t max_block = 16; // A32: instructions of one condition

bool is_same_test(std::uint8_t condition, std::uint8_t other)
{
	return (condition | 1) == (other | 1);
}

// The instructions that an it instruction makes conditional. False: one changes the flags.
bool add_it_block(const ArmInstruction& it, std::uint8_t condition, const ArmText& text, ArmBlock& block)
{
	bool keeps_flags = true;
	for (unsigned i = 0; i < it.block && block.next < text.places(); i++) {
		const ArmInstruction instruction = text.decode(block.next, true);
		if (!instruction.bytes)
			return false;
		const bool opposite = it.opposite >> i & 1;
		block.steps.push_back(
			{block.next, instruction, (it.block_condition ^ (opposite ? 1 : 0)) != condition});
		keeps_flags = keeps_flags && !instruction.sets_flags && instruction.flow != ArmFlow::call;
		block.next += instruction.bytes / 2;
	}
	return keeps_flags;
}

// It is executed at one of the test's outcomes.
bool depends_on(std::uint8_t condition, const ArmInstruction& instruction)
{
	const std::uint8_t test = instruction.block ? instruction.block_condition : instruction.condition;
	return instruction.bytes && test != arm_always && is_same_test(test, condition);
}

} // namespace

bool is_lone_branch(const ArmInstruction& branch, std::size_t next, const ArmText& text, bool thumb)
{
	if (branch.flow != ArmFlow::jump || !branch.is_conditional())
		return false;
	if (branch.tests_register || next >= text.places())
		return true;
	const ArmInstruction& follower = text.decode(next, thumb);
	return follower.tests_register || !depends_on(branch.condition, follower);
}

void read_block(std::size_t at, const ArmInstruction& first, const ArmText& text, bool thumb, ArmBlock& block)
{
	const std::uint8_t condition = first.block ? first.block_condition : first.condition;
	block.steps.clear();
	block.next = at;
	for (bool goes_on = true; goes_on && block.next < text.places() && block.steps.size() < max_block;) {
		const ArmInstruction instruction = text.decode(block.next, thumb);
		if (!depends_on(condition, instruction) || (instruction.tests_register && block.next != at))
			break;
		if (!instruction.block || block.next != at)
			block.steps.push_back(
				{block.next, instruction, !instruction.block && instruction.condition != condition});
		block.next += instruction.bytes / 2;
		goes_on = instruction.block ? add_it_block(instruction, condition, text, block)
					    : !instruction.sets_flags && !instruction.tests_register &&
						      instruction.flow != ArmFlow::call;
	}
}

} // namespace uwind
