// SPDX-License-Identifier: GPL-2.0
// The kernel's text at any time of a log: its entries forwards and backwards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/byte_cursor.h"
#include "base/result.h"
#include "model/text_log.h"

namespace uwind {

// The text at one moment.
class TextState {
public:
	struct Area {
		TextPlace place = TextPlace::image;
		std::string name;
		std::uint64_t length = 0;
		std::vector<std::uint8_t> bytes; // empty: not known
	};

	// The next entry in the order of time, or the one before, undone. What an entry says of the state before it, or
	// after it, and is not so, is counted.
	void forward(const TextEntry& entry);
	void backward(const TextEntry& entry);
	std::uint64_t contradictions() const { return contradictions_; }
	// By their addresses.
	const std::map<std::uint64_t, Area>& areas() const { return areas_; }
	std::map<std::uint64_t, Area>::const_iterator area_at(std::uint64_t address) const;
	// The bytes of this range. Empty: it is in no area, or not known.
	Bytes at(std::uint64_t address, std::uint64_t length) const;

private:
	void replace(const TextEdit& edit, const std::vector<std::uint8_t>& old, const std::vector<std::uint8_t>& now);
	void add(const TextArea& area);
	void remove(const TextArea& area);

	std::map<std::uint64_t, Area> areas_; // by address
	std::uint64_t contradictions_ = 0;
};

// What a range of text was at one time.
struct TextAnswer {
	enum class Covered {
		yes,
		no,      // no area of the log has the address then
		unknown, // one has, but it was gone before it could be read
	};

	Covered covered = Covered::no;
	TextPlace place = TextPlace::image;
	std::string area;
	// Of these the first, and then one more for each change that was under way: nobody knows which of them was
	// there.
	std::vector<std::vector<std::uint8_t>> possible;
	// Some of the bytes were seen only when they were changed later, at this time.
	std::optional<std::uint64_t> known_since_ns;
};

class TextReplay {
public:
	// The log outlives this, and its entries are in the order of their times.
	explicit TextReplay(const TextLog& log) : log_(log) {}

	static constexpr std::size_t most_possible = 16;

	std::uint64_t begin_ns() const { return log_.head.begin_ns; }
	std::uint64_t end_ns() const; // the last entry's
	// ERANGE: the log does not cover this time. Shorter than length: the area ends there.
	Result<TextAnswer> at(std::uint64_t time_ns, std::uint64_t address, std::uint64_t length) const;

private:
	TextAnswer start(const TextArea& area, std::uint64_t address, std::uint64_t length) const;

	const TextLog& log_;
};

} // namespace uwind
