// SPDX-License-Identifier: GPL-2.0
// Conditional instructions: an epilogue may be made of several that belong together.
#include "tables/code/arm/paths.h"

namespace uwind {
namespace {

constexpr std::size_t max_block = 16; // A32: instructions of one condition

bool is_same_test(std::uint8_t condition, std::uint8_t other)
{
	return (condition | 1) == (other | 1);
}

} // namespace

// The instructions that an it instruction makes conditional. False: one changes the flags.
bool ArmPaths::add_block(const ArmInstruction& it, std::uint8_t condition, std::vector<Step>& steps,
			 std::size_t& next) const
{
	bool keeps_flags = true;
	for (unsigned i = 0; i < it.block && next < places(); i++) {
		const ArmInstruction instruction = decode(next, true);
		if (!instruction.bytes)
			return false;
		const bool opposite = it.opposite >> i & 1;
		steps.push_back({next, instruction, (it.block_condition ^ (opposite ? 1 : 0)) != condition});
		keeps_flags = keeps_flags && !instruction.sets_flags && instruction.flow != ArmFlow::call;
		next += instruction.bytes / 2;
	}
	return keeps_flags;
}

// Instructions whose conditions are one test's outcomes; next: what comes behind them.
std::vector<ArmPaths::Step> ArmPaths::block_at(std::size_t at, const ArmInstruction& first, std::size_t& next) const
{
	const bool thumb = thumb_[at];
	const std::uint8_t condition = first.block ? first.block_condition : first.condition;
	std::vector<Step> steps;
	next = at;
	for (bool goes_on = true; goes_on && next < places() && steps.size() < max_block;) {
		const ArmInstruction instruction = decode(next, thumb);
		const std::uint8_t test = instruction.block ? instruction.block_condition : instruction.condition;
		if (!instruction.bytes || test == arm_always || !is_same_test(test, condition) ||
		    (instruction.tests_register && next != at))
			break;
		if (!instruction.block || next != at)
			steps.push_back({next, instruction, !instruction.block && test != condition});
		next += instruction.bytes / 2;
		goes_on = instruction.block ? add_block(instruction, condition, steps, next)
					    : !instruction.sets_flags && !instruction.tests_register &&
						      instruction.flow != ArmFlow::call;
	}
	return steps;
}

// Both outcomes are followed at once. Between the instructions they may have different
// frames: those places get no row.
void ArmPaths::step_block(std::size_t at, const std::vector<Step>& steps, std::size_t next)
{
	struct {
		ArmFrame frame;
		bool goes_on = true;
		std::uint32_t via = 0;
	} outcomes[2];
	for (auto& outcome : outcomes) {
		outcome.frame = frames_[frame_of_[at]];
		outcome.via = via_[at];
	}
	for (const Step& step : steps) {
		const auto& [met, missed] = outcomes;
		ArmFrame between = met.goes_on ? met.frame : missed.frame;
		if (met.goes_on && missed.goes_on && !between.join(missed.frame))
			between = ArmFrame::unknown();
		if (step.at != at)
			stay_at(step, between, at);
		auto& outcome = outcomes[step.opposite];
		if (outcome.goes_on && !wrong_)
			outcome.goes_on = pass(step, outcome.frame, outcome.via);
	}
	for (auto& outcome : outcomes)
		if (outcome.goes_on && !wrong_)
			fall_to(next, thumb_[at], outcome.frame, outcome.via);
}

// An instruction in the middle of a block that begins elsewhere.
void ArmPaths::stay_at(const Step& step, ArmFrame frame, std::size_t begin)
{
	if (seen_[step.at] != tried)
		return occupy(step.at, thumb_[begin], frame, via_[begin], step.instruction.bytes / 2);
	if (!frame.join(frames_[frame_of_[step.at]]))
		frame = ArmFrame::unknown();
	frame_of_[step.at] = frames_.number_of(frame);
}

} // namespace uwind
