// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/landings.h"

#include "tables/code/arm/effect.h"

#include <algorithm>

namespace uwind {

bool is_prologue(const ArmInstruction& instruction)
{
	return pushes_link(instruction) && !instruction.is_conditional();
}

// A function that others only jump to begins like one that they call.
void ArmLandings::pass(std::size_t start, std::size_t end)
{
	for (std::size_t at = start; at < end; at = proof_.places().end_of_instruction(at)) {
		const ArmFrameNumber frame = proof_.frame(at);
		if (proof_.places().begins(at) || (frame == ArmFrameSet::first && is_prologue(decoded(at))))
			frames_.clear();
		if (proof_.places().calls(at) && frames_.size() <= max_arm_candidates)
			note(decoded(at), frame);
	}
}

ArmInstruction ArmLandings::decoded(std::size_t at) const
{
	return text_.decode(at, proof_.places().is_thumb(at));
}

void ArmLandings::note(const ArmInstruction& call, ArmFrameNumber frame)
{
	ArmFrameSet& frames = proof_.frames();
	const ArmFrameNumber after = frames.after(frame, call);
	if (!frames[after].has_saved_link())
		return;
	const ArmFrameNumber number = frames.at_jump(after);
	if (std::find(frames_.begin(), frames_.end(), number) == frames_.end())
		frames_.push_back(number);
}

} // namespace uwind
