// SPDX-License-Identifier: GPL-2.0
// What was read of a file, and a digest of it.
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "base/digest.h"

namespace uwind {

// What is computed of a file depends on these bytes alone: where another file has the same ones in the same
// places, the outcome is the same.
class ReadLog {
public:
	static constexpr std::size_t max_places = 65536;

	struct Place {
		std::uint64_t offset = 0, bytes = 0;
	};

	explicit ReadLog(const Digest::Key& key) : digest_(key) {}

	// A place that was read before is the same memory, and not added again.
	void add(std::uint64_t offset, Bytes bytes)
	{
		if (whole_ && seen_.emplace(offset, bytes.size()).second)
			append(offset, bytes);
	}
	// From now on what is read is not logged.
	void end() { whole_ = false; }

	bool whole() const { return whole_; } // all that was read is here
	const std::vector<Place>& places() const { return places_; }
	Digest::Value digest() { return digest_.value(); } // of the bytes, in the places' order; once

private:
	void append(std::uint64_t offset, Bytes bytes)
	{
		whole_ = places_.size() < max_places;
		places_.push_back({offset, bytes.size()});
		digest_.add(bytes);
	}

	bool whole_ = true;
	std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
	std::vector<Place> places_;
	Digest digest_;
};

} // namespace uwind
