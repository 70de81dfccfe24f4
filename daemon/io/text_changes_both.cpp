// SPDX-License-Identifier: GPL-2.0
// Changes of the kernel's text of two sources, in the order of time.
#include "io/text_changes_both.h"

#include <algorithm>

#include "io/clock.h"

namespace uwind {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds slice(20); // the second one is asked so often

} // namespace

Status TextChangesBoth::start()
{
	if (auto started = first_->start(); !started)
		return started;
	auto started = second_->start();
	if (!started)
		first_->stop();
	return started;
}

Status TextChangesBoth::take(TextChanges& source, milliseconds timeout)
{
	auto events = source.read(timeout);
	if (!events)
		return events.error();
	held_.insert(held_.end(), std::make_move_iterator(events->begin()), std::make_move_iterator(events->end()));
	return Nothing{};
}

// Both have told all that had happened when the reading began.
Result<std::vector<TextEvent>> TextChangesBoth::read(milliseconds timeout)
{
	const std::uint64_t end_ns =
		clock_ns(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(timeout.count()) * 1'000'000;
	while (true) {
		const std::uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
		for (TextChanges* source : {first_.get(), second_.get()})
			if (auto taken = take(*source, milliseconds(0)); !taken)
				return taken.error();
		std::stable_sort(held_.begin(), held_.end(),
				 [](const TextEvent& a, const TextEvent& b) { return time_of(a) < time_of(b); });
		const auto later = std::find_if(held_.begin(), held_.end(),
						[&](const TextEvent& event) { return time_of(event) > begun_ns; });
		std::vector<TextEvent> events(std::make_move_iterator(held_.begin()), std::make_move_iterator(later));
		held_.erase(held_.begin(), later);
		const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
		if (!events.empty() || now >= end_ns)
			return events;
		const milliseconds left((end_ns - now) / 1'000'000 + 1);
		if (auto taken = take(*first_, held_.empty() ? std::min(left, slice) : milliseconds(0)); !taken)
			return taken.error();
	}
}

void TextChangesBoth::stop()
{
	first_->stop();
	second_->stop();
	held_.clear();
}

} // namespace uwind
