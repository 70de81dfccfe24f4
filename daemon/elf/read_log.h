// SPDX-License-Identifier: GPL-2.0
// What was read of a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/digest.h"

namespace uwind {

// What is computed of a file depends on these bytes alone: where another file has the same ones in the same
// places, the outcome is the same.
class ReadLog {
public:
	static constexpr std::size_t max_pieces = 65536;

	struct Place {
		std::uint64_t offset = 0, bytes = 0;
	};
	// Places in order, with a gap before each further one, and the digest of what they hold.
	struct Read {
		std::vector<Place> places;
		Digest::Value digest{};
	};

	// The bytes must live as long as the log is asked.
	void add(std::uint64_t offset, Bytes bytes);
	// From now on what is read is not logged.
	void end()
	{
		whole_ = false;
		pieces_.clear();
	}

	bool whole() const { return whole_; } // all that was read is here
	// Nothing: it is not whole, or the file was changed, as a byte that was read twice was not the same.
	std::optional<Read> read(const Digest::Key& key) const;

private:
	bool whole_ = true;
	std::map<std::uint64_t, Bytes> pieces_; // by offset
};

} // namespace uwind
