// SPDX-License-Identifier: GPL-2.0
// What generated code was at given addresses of one process, and when.
#include "app/code_times.h"

#include <algorithm>

namespace uwind {

std::size_t CodeTimes::first_from(std::uint64_t address) const
{
	return static_cast<std::size_t>(std::ranges::lower_bound(addresses_, address) - addresses_.begin());
}

bool CodeTimes::concerns(std::uint64_t start, std::uint64_t bytes) const
{
	const std::size_t first = first_from(start);
	return first < addresses_.size() && addresses_[first] - start < bytes;
}

// What is said of the same time later is right.
void CodeTimes::change(std::size_t index, std::uint64_t time_ns, Label label)
{
	auto& changes = changes_[index];
	if (!changes.empty() && changes.back().time_ns == time_ns) {
		changes.back().label = label;
	} else if (left_) {
		changes.push_back({time_ns, label});
		left_--;
	} else {
		not_kept_++;
	}
}

// Threads write records not quite in the order of their times.
void CodeTimes::settle()
{
	for (auto& changes : changes_)
		std::ranges::stable_sort(changes, {}, &Change::time_ns);
}

CodeTimes::Span CodeTimes::at(std::uint64_t address, std::uint64_t time_ns) const
{
	const auto& changes = changes_[first_from(address)];
	const auto next = std::ranges::upper_bound(changes, time_ns, {}, &Change::time_ns);
	Span span;
	if (next != changes.end())
		span.until_ns = next->time_ns;
	if (next != changes.begin()) {
		span.label = std::prev(next)->label;
		span.from_ns = std::prev(next)->time_ns;
	}
	return span;
}

} // namespace uwind
