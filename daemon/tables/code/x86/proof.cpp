// SPDX-License-Identifier: GPL-2.0
#include "tables/code/x86/proof.h"

#include <algorithm>

namespace uwind {

X86Proof::X86Proof(const X86Text& text) : seen_(text.places()), frames_(text.places(), X86Frame(text.arch())) {}

void X86Proof::begin_try()
{
	verdict_ = {};
	trail_.clear();
}

bool X86Proof::arrive(std::size_t at, const X86Frame& frame)
{
	if (seen_[at] == disputed)
		return false;
	X86Frame both = frame;
	const bool first = is_new(seen_[at]);
	if (!first && !both.join(frames_[at])) {
		verdict_.wrong = true;
		return false;
	}
	verdict_.proven |= seen_[at] == settled;
	if (!first && both == frames_[at])
		return false;
	trail_.push_back({at, seen_[at], frames_[at]});
	if (first)
		seen_[at] = tried;
	frames_[at] = both;
	return true;
}

std::vector<std::size_t> X86Proof::settle()
{
	std::vector<std::size_t> places;
	for (const Change& change : trail_)
		if (is_new(change.seen))
			places.push_back(change.at);
	std::sort(places.begin(), places.end());
	for (const std::size_t at : places)
		seen_[at] = settled;
	return places;
}

void X86Proof::forget()
{
	for (auto change = trail_.rbegin(); change != trail_.rend(); ++change) {
		seen_[change->at] = change->seen;
		frames_[change->at] = change->frame;
	}
}

void X86Proof::cover(std::size_t at, unsigned bytes)
{
	for (std::size_t inside = at + 1; inside < at + bytes && seen_[inside] == unseen; inside++)
		seen_[inside] = body;
}

} // namespace uwind
