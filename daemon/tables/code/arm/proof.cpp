// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/proof.h"

namespace uwind {
namespace {

using Seen = ArmPlaces::Seen;

// What becomes of a tried instruction's places.
void end_try(ArmPlaces& places, ArmTakenPlaces taken, Seen first, Seen inside)
{
	places.set_seen(taken.at(), first);
	if (taken.places() == 2)
		places.set_seen(taken.at() + 1, inside);
}

} // namespace

ArmProof::ArmProof(const ArmText& text)
    : text_(text), places_(text.places()), frame_of_(std::make_unique_for_overwrite<ArmFrameNumber[]>(text.places())),
      via_(std::make_unique_for_overwrite<std::uint32_t[]>(text.places()))
{
}

std::size_t ArmProof::end_of_frame(std::size_t at) const
{
	const ArmFrameNumber frame = frame_of_[at];
	do
		at++;
	while (at < places_.count() &&
	       (places_.seen(at) == Seen::settled_inside || (places_.is_settled(at) && frame_of_[at] == frame)));
	return at;
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
		result.instructions.push_back(
			{taken, via_[taken.at()], frame_of_[taken.at()], places_.is_thumb(taken.at())});
	return result;
}

bool ArmProof::try_again(const ArmTried& tried)
{
	begin_try();
	const auto is_unread = [&](std::size_t at) { return places_.seen(at) == Seen::unseen; };
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
	const std::uint32_t other = places_.is_tried(at) ? via_[at] : 0;
	verdict_.fail(other && (!via || at + 1 - other < at + 1 - via) && other <= at ? other : via);
}

// Two ways to one place. That it was settled stays as it is.
bool ArmProof::meet(std::size_t at, bool thumb, ArmFrameNumber frame, std::uint32_t via)
{
	const auto both = thumb == places_.is_thumb(at) ? frames_.join(frame_of_[at], frame) : std::nullopt;
	if (!both) {
		fail_nearest(at, via);
		return false;
	}
	const bool changed = *both != frame_of_[at];
	if (places_.is_settled(at)) {
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
	if (at >= places_.count() || places_.is_data(at)) {
		verdict_.fail(via);
		return false;
	}
	if (places_.seen(at) == Seen::settled || places_.seen(at) == Seen::tried)
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
	if (!places_.is_tried(at))
		return occupy(at, instruction, places_.is_thumb(first), frame, via_[first]);
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
		if (places_.is_tried(at) || places_.is_inside_tried(at))
			return verdict_.fail(via_[places_.is_tried(at) ? at : at - 1]);
		if (places_.seen(at) != Seen::unseen)
			return verdict_.fail(0);
	}
}

std::vector<std::size_t> ArmProof::tried_data() const
{
	std::vector<std::size_t> places = tried_data_;
	std::sort(places.begin(), places.end());
	return places;
}

std::vector<std::size_t> ArmProof::settle()
{
	for (const Taken taken : trail_)
		end_try(places_, taken, Seen::settled, Seen::settled_inside);
	for (const std::size_t at : tried_data_)
		places_.add_data(at);
	return std::move(loads_);
}

void ArmProof::forget()
{
	for (const Taken taken : trail_)
		end_try(places_, taken, Seen::unseen, Seen::unseen);
	trail_.clear();
}

void ArmProof::forget_and_doubt()
{
	for (const Taken taken : trail_)
		for (std::size_t i = 0; i < taken.places(); i++)
			places_.doubt(taken.at() + i);
	forget();
}

} // namespace uwind
