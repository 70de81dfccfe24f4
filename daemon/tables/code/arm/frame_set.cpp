// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/frame_set.h"

#include "tables/code/arm/effect.h"

#include <bit>

namespace uwind {
namespace {

constexpr std::size_t max_changes = 1024, max_joins = 1024;

} // namespace

ArmFrameSet::ArmFrameSet() : changes_(max_changes), joins_(max_joins)
{
	for (const ArmFrame& frame : {ArmFrame(), ArmFrame::unknown()})
		number_of(frame);
}

ArmFrameNumber ArmFrameSet::number_of(const ArmFrame& frame)
{
	if (!known_.empty() && known_[last_].frame == frame)
		return last_;
	const auto [place, added] = numbers_.try_emplace(frame, static_cast<ArmFrameNumber>(known_.size()));
	if (added)
		known_.push_back({frame, frame.described()});
	return last_ = place->second;
}

// Most accesses to the stack: variables.
bool ArmFrameSet::accesses_what_is_not_saved(const ArmInstruction& instruction, const Known& known)
{
	const bool accesses = instruction.action == ArmAction::load || instruction.action == ArmAction::store;
	if (!accesses || instruction.moved || (instruction.registers | instruction.writes) & known.described)
		return false;
	const auto to_cfa = known.frame.to_cfa(instruction.base);
	const std::int64_t first = to_cfa.value_or(0) - instruction.offset;
	return !to_cfa || !known.frame.has_saved(first - 4 * (std::popcount(instruction.registers) - 1), first);
}

ArmFrameNumber ArmFrameSet::executed(ArmFrameNumber number, const ArmInstruction& instruction)
{
	ArmFrame frame = known_[number].frame;
	execute(instruction, frame);
	return frame == known_[number].frame ? number : number_of(frame);
}

// A call does nothing else, mostly.
ArmFrameNumber ArmFrameSet::after_call(ArmFrameNumber number, const ArmInstruction& call)
{
	if (call.action != ArmAction::none || call.writes)
		return executed(number, call);
	if (known_[number].after_call == none) {
		const ArmFrameNumber after = executed(number, call);
		known_[number].after_call = after;
	}
	return known_[number].after_call;
}

// Functions begin and end with the same instructions.
ArmFrameNumber ArmFrameSet::changed(ArmFrameNumber number, const ArmInstruction& instruction)
{
	if (instruction.flow == ArmFlow::call)
		return after_call(number, instruction);
	const std::uint32_t mixed = number * 31 + instruction.registers + instruction.writes * 3u + instruction.base +
				    static_cast<std::uint32_t>(instruction.offset + instruction.moved * 7);
	Change& change = changes_[mixed % max_changes];
	if (change.before != number || change.action != instruction.action || change.to != instruction.to ||
	    change.base != instruction.base || change.registers != instruction.registers ||
	    change.writes != instruction.writes || change.offset != instruction.offset ||
	    change.moved != instruction.moved)
		change = {number,           executed(number, instruction), instruction.action, instruction.to,
			  instruction.base, instruction.registers,         instruction.writes, instruction.offset,
			  instruction.moved};
	return change.after;
}

ArmFrameNumber ArmFrameSet::at_jump(ArmFrameNumber number)
{
	if (known_[number].jumps == none) {
		const ArmFrameNumber jumps = number_of(known_[number].frame.at_jump());
		known_[number].jumps = jumps;
	}
	return known_[number].jumps;
}

// Loops join the same frames again and again.
std::optional<ArmFrameNumber> ArmFrameSet::joined(ArmFrameNumber number, ArmFrameNumber other)
{
	Join& join = joins_[(number * 31 + other) % max_joins];
	if (join.number == number && join.other == other)
		return join.both;
	ArmFrame frame = known_[number].frame;
	join = {number, other, std::nullopt};
	if (frame.join(known_[other].frame))
		join.both = number_of(frame);
	return join.both;
}

} // namespace uwind
