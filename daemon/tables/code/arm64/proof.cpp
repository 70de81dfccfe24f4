// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm64/proof.h"

namespace uwind {

Arm64Proof::Arm64Proof(const Arm64Text& text) : seen_(text.places()), frames_(text.places()), settled_(text.places()) {}

void Arm64Proof::begin_try(std::size_t at, const Arm64Frame& frame)
{
	verdict_ = {};
	trail_.clear();
	reach(at, frame);
}

bool Arm64Proof::arrive(std::size_t at, const Arm64Frame& frame)
{
	Arm64Frame both = frame;
	const bool first = seen_[at] == unseen;
	if (!first && !both.join(frames_[at])) {
		verdict_.wrong = true;
		return false;
	}
	verdict_.proven |= settled_[at];
	if (!first && both == frames_[at])
		return false;
	reach(at, both);
	return true;
}

void Arm64Proof::reach(std::size_t at, const Arm64Frame& frame)
{
	trail_.push_back({at, seen_[at], frames_[at]});
	seen_[at] = reached;
	frames_[at] = frame;
}

void Arm64Proof::forget()
{
	for (auto change = trail_.rbegin(); change != trail_.rend(); ++change) {
		seen_[change->at] = change->seen;
		frames_[change->at] = change->frame;
	}
}

void Arm64Proof::settle()
{
	for (const Change& change : trail_)
		settled_[change.at] = true;
}

void Arm64Proof::settle_as_disputed()
{
	forget();
	settle();
	for (const Change& change : trail_)
		if (change.seen == unseen)
			seen_[change.at] = disputed;
}

std::vector<std::size_t> Arm64Proof::tried() const
{
	std::vector<std::size_t> places;
	for (const Change& change : trail_)
		places.push_back(change.at);
	return places;
}

} // namespace uwind
