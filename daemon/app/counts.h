// SPDX-License-Identifier: GPL-2.0
// How often what happened.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace uwind {

// Under the names that reports use.
using Counts = std::map<std::string, std::uint64_t>;

// Counts events. Safe to use from several threads.
class EventCounter {
public:
	void count(const std::string& event, std::uint64_t times = 1)
	{
		std::lock_guard lock(mutex_);
		if (times)
			counts_[event] += times;
	}

	// Since the start. An event that never happened is not among them.
	Counts counts() const
	{
		std::lock_guard lock(mutex_);
		return counts_;
	}

private:
	mutable std::mutex mutex_; // guards counts_
	Counts counts_;
};

} // namespace uwind
