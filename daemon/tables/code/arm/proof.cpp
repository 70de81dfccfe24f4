// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/proof.h"

namespace uwind {

// Most instructions leave the frame as it is.
std::uint32_t ArmFrameSet::number_of(const ArmFrame& frame)
{
	if (!frames_.empty() && frames_[last_] == frame)
		return last_;
	const auto [place, added] = numbers_.try_emplace(frame, static_cast<std::uint32_t>(frames_.size()));
	if (added)
		frames_.push_back(frame);
	return last_ = place->second;
}

ArmProof::ArmProof(const ArmText& text)
    : text_(text), seen_(text.places()), thumb_(text.places()), data_(text.places()), doubtful_(text.places()),
      frame_of_(text.places()), via_(text.places())
{
}

void ArmProof::begin_try()
{
	verdict_ = {};
	trail_.clear();
	tried_data_.clear();
}

// Two ways to one place. That it was settled stays as it is.
bool ArmProof::meet(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via)
{
	ArmFrame both = frames_[frame_of_[at]];
	const auto nearest = [&] {
		const std::uint32_t other = seen_[at] == tried ? via_[at] : 0;
		return other && (!via || at + 1 - other < at + 1 - via) && other <= at ? other : via;
	};
	if (thumb != thumb_[at] || !both.join(frame)) {
		verdict_.fail(nearest());
		return false;
	}
	if (seen_[at] == settled) {
		if (!(both.rule() == frames_[frame_of_[at]].rule()))
			verdict_.fail(via);
		verdict_.returned = verdict_.ended = true;
		verdict_.show(ArmEvidence::strong);
		return false;
	}
	const std::uint32_t number = frames_.number_of(both);
	const bool changed = number != frame_of_[at];
	frame_of_[at] = number;
	return changed;
}

// An instruction that a path comes to.
void ArmProof::occupy(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via, unsigned halves)
{
	for (unsigned i = 0; i < halves; i++) {
		if (at + i >= text_.places() || seen_[at + i] != unseen || data_[at + i])
			return verdict_.fail(via);
		seen_[at + i] = i ? tried_inside : tried;
		trail_.push_back(at + i);
	}
	thumb_[at] = thumb;
	frame_of_[at] = frames_.number_of(frame);
	via_[at] = via;
}

bool ArmProof::arrive(std::size_t at, bool thumb, const ArmFrame& frame, std::uint32_t via)
{
	if (at >= text_.places() || data_[at]) {
		verdict_.fail(via);
		return false;
	}
	if (seen_[at] == settled || seen_[at] == tried)
		return meet(at, thumb, frame, via);
	const ArmInstruction instruction = text_.decode(at, thumb);
	if (!instruction.bytes && via)
		verdict_.fail(via);
	else
		occupy(at, thumb, frame, via, std::max(instruction.bytes / 2, 1u));
	return !verdict_.wrong;
}

void ArmProof::note_between(std::size_t at, const ArmInstruction& instruction, ArmFrame frame, std::size_t begin)
{
	if (seen_[at] != tried)
		return occupy(at, thumb_[begin], frame, via_[begin], instruction.bytes / 2);
	if (!frame.join(frames_[frame_of_[at]]))
		frame = ArmFrame::unknown();
	frame_of_[at] = frames_.number_of(frame);
}

void ArmProof::add_data(std::uint32_t address, std::size_t bytes)
{
	for (std::size_t i = 0; i < bytes; i += 2)
		if (const std::size_t at = text_.place_of(address + static_cast<std::uint32_t>(i)); at < text_.places())
			tried_data_.push_back(at);
}

void ArmProof::check_data()
{
	for (const std::size_t at : tried_data_)
		if (seen_[at] == tried || seen_[at] == tried_inside)
			return verdict_.fail(via_[seen_[at] == tried ? at : at - 1]);
		else if (seen_[at] != unseen)
			return verdict_.fail(0);
}

std::vector<std::size_t> ArmProof::tried_data() const
{
	std::vector<std::size_t> places = tried_data_;
	std::sort(places.begin(), places.end());
	return places;
}

std::vector<std::size_t> ArmProof::settle()
{
	std::vector<std::size_t> instructions;
	for (const std::size_t at : trail_) {
		if (seen_[at] == tried)
			instructions.push_back(at);
		seen_[at] = seen_[at] == tried ? settled : settled_inside;
	}
	for (const std::size_t at : tried_data_)
		data_[at] = true;
	return instructions;
}

void ArmProof::forget()
{
	for (const std::size_t at : trail_)
		seen_[at] = unseen;
	trail_.clear();
}

void ArmProof::forget_and_doubt()
{
	for (const std::size_t at : trail_)
		doubtful_[at] = true;
	forget();
}

} // namespace uwind
