// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/proof.h"

namespace uwind {

ArmProof::ArmProof(const ArmText& text)
    : text_(text), places_(text.places()), frame_of_(std::make_unique_for_overwrite<ArmFrameNumber[]>(text.places())),
      via_(std::make_unique_for_overwrite<std::uint32_t[]>(text.places()))
{
}

std::size_t ArmProof::end_of_instruction(std::size_t at) const
{
	do
		at++;
	while (at < places_.size() && seen(at) == settled_inside);
	return at;
}

std::size_t ArmProof::end_of_frame(std::size_t at) const
{
	const ArmFrameNumber frame = frame_of_[at];
	do
		at++;
	while (at < places_.size() && (seen(at) == settled_inside || (is_settled(at) && frame_of_[at] == frame)));
	return at;
}

std::size_t ArmProof::end_of_settled(std::size_t at) const
{
	while (at < places_.size() && (is_settled(at) || seen(at) == settled_inside))
		at++;
	return at;
}

bool ArmProof::is_thumb_before(std::size_t end) const
{
	do
		end--;
	while (seen(end) == settled_inside);
	return is_thumb(end);
}

void ArmProof::begin_try()
{
	verdict_ = {};
	trail_.clear();
	tried_data_.clear();
	loads_.clear();
}

ArmTried ArmProof::keep_try() const
{
	ArmTried result{{}, tried_data_, loads_, verdict_};
	result.instructions.reserve(trail_.size());
	for (const Taken taken : trail_)
		result.instructions.push_back({taken, via_[taken.at()], frame_of_[taken.at()], is_thumb(taken.at())});
	return result;
}

bool ArmProof::try_again(const ArmTried& tried)
{
	begin_try();
	const auto is_unread = [&](std::size_t at) { return seen(at) == unseen; };
	const auto take = [&](const ArmTried::Instruction& was) {
		return take_places(was.taken.at(), was.taken.places(), was.thumb);
	};
	if (!std::all_of(tried.data.begin(), tried.data.end(), is_unread) ||
	    !std::all_of(tried.instructions.begin(), tried.instructions.end(), take)) {
		forget();
		return false;
	}
	for (const ArmTried::Instruction& was : tried.instructions) {
		frame_of_[was.taken.at()] = was.frame;
		via_[was.taken.at()] = was.via;
	}
	tried_data_ = tried.data;
	loads_ = tried.loads;
	verdict_ = tried.verdict;
	return true;
}

// Of two calls, the one that lies nearer before the place is to blame.
void ArmProof::fail_nearest(std::size_t at, std::uint32_t via)
{
	const std::uint32_t other = is_tried(at) ? via_[at] : 0;
	verdict_.fail(other && (!via || at + 1 - other < at + 1 - via) && other <= at ? other : via);
}

// Two ways to one place. That it was settled stays as it is.
bool ArmProof::meet(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via)
{
	const auto both = thumb == is_thumb(at) ? frames_.join(frame_of_[at], frame) : std::nullopt;
	if (!both) {
		fail_nearest(at, via);
		return false;
	}
	const bool changed = *both != frame_of_[at];
	if (is_settled(at)) {
		if (changed && !(frames_[*both].rule() == frames_[frame_of_[at]].rule()))
			verdict_.fail(via);
		verdict_.returned = verdict_.ended = true;
		verdict_.show(ArmEvidence::strong);
		return false;
	}
	frame_of_[at] = *both;
	return changed;
}

bool ArmProof::arrive(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via)
{
	if (at >= places_.size() || places_[at] & data) {
		verdict_.fail(via);
		return false;
	}
	if (seen(at) == settled || seen(at) == tried)
		return meet(at, thumb, frame, via);
	const ArmInstruction& instruction = text_.decode(at, thumb);
	if (!instruction.bytes && via)
		verdict_.fail(via);
	else
		occupy(at, instruction, thumb, frame, via);
	return !verdict_.wrong;
}

void ArmProof::note_between(std::size_t at, const ArmInstruction& instruction, ArmFrameNumber frame, std::size_t first)
{
	if (!is_tried(at))
		return occupy(at, instruction, is_thumb(first), frame, via_[first]);
	frame_of_[at] = frames_.join(frame, frame_of_[at]).value_or(ArmFrameSet::unknown);
}

void ArmProof::add_data(std::uint32_t address, std::size_t bytes)
{
	for (std::size_t i = 0; i < bytes; i += 2)
		if (const std::size_t at = text_.place_of(address + static_cast<std::uint32_t>(i)); at < text_.places())
			tried_data_.push_back(at);
}

void ArmProof::check_data()
{
	for (const std::size_t at : tried_data_) {
		if (is_tried(at) || is_inside_tried(at))
			return verdict_.fail(via_[is_tried(at) ? at : at - 1]);
		if (seen(at) != unseen)
			return verdict_.fail(0);
	}
}

std::vector<std::size_t> ArmProof::tried_data() const
{
	std::vector<std::size_t> places = tried_data_;
	std::sort(places.begin(), places.end());
	return places;
}

// What becomes of a tried instruction's places.
void ArmProof::end_instruction(Taken taken, Seen first, Seen inside)
{
	set_seen(taken.at(), first);
	if (taken.places() == 2)
		set_seen(taken.at() + 1, inside);
}

std::vector<std::size_t> ArmProof::settle()
{
	for (const Taken taken : trail_)
		end_instruction(taken, settled, settled_inside);
	for (const std::size_t at : tried_data_)
		places_[at] |= data;
	return std::move(loads_);
}

void ArmProof::forget()
{
	for (const Taken taken : trail_)
		end_instruction(taken, unseen, unseen);
	trail_.clear();
}

void ArmProof::forget_and_doubt()
{
	for (const Taken taken : trail_)
		for (std::size_t i = 0; i < taken.places(); i++)
			places_[taken.at() + i] |= doubtful;
	forget();
}

} // namespace uwind
