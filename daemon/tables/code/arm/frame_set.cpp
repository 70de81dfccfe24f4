// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/frame_set.h"

#include "tables/code/arm/effect.h"

namespace uwind {

ArmFrameSet::ArmFrameSet()
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

ArmFrameNumber ArmFrameSet::executed(ArmFrameNumber number, const ArmInstruction& instruction)
{
	ArmFrame frame = known_[number].frame;
	execute(instruction, frame);
	return frame == known_[number].frame ? number : number_of(frame);
}

// A call does nothing else, mostly.
ArmFrameNumber ArmFrameSet::changed(ArmFrameNumber number, const ArmInstruction& instruction)
{
	if (instruction.flow != ArmFlow::call || instruction.action != ArmAction::none || instruction.writes)
		return executed(number, instruction);
	if (known_[number].after_call == none) {
		const ArmFrameNumber after = executed(number, instruction);
		known_[number].after_call = after;
	}
	return known_[number].after_call;
}

ArmFrameNumber ArmFrameSet::at_jump(ArmFrameNumber number)
{
	if (known_[number].jumps == none) {
		const ArmFrameNumber jumps = number_of(known_[number].frame.at_jump());
		known_[number].jumps = jumps;
	}
	return known_[number].jumps;
}

std::optional<ArmFrameNumber> ArmFrameSet::join(ArmFrameNumber number, ArmFrameNumber other)
{
	if (number == other)
		return number;
	ArmFrame frame = known_[number].frame;
	if (!frame.join(known_[other].frame))
		return std::nullopt;
	return number_of(frame);
}

} // namespace uwind
