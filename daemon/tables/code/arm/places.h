// SPDX-License-Identifier: GPL-2.0
// What is known of each place of 32-bit Arm code, beside its frame: one byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace uwind {

class ArmPlaces {
public:
	enum Seen : std::uint8_t { unseen, settled, tried, settled_inside, tried_inside };

	explicit ArmPlaces(std::size_t count) : bytes_(count) {}

	std::size_t count() const { return bytes_.size(); }
	Seen seen(std::size_t at) const { return static_cast<Seen>(bytes_[at] & seen_bits); }
	// A settled place has a frame for good; an unseen one may still be code.
	bool is_settled(std::size_t at) const { return seen(at) == settled; }
	bool is_unseen(std::size_t at) const { return !(bytes_[at] & (seen_bits | data)); }
	// The same, as if what is being tried had been forgotten.
	bool is_open(std::size_t at) const { return is_unseen(at) || is_tried(at) || is_inside_tried(at); }
	// An instruction of what is being tried; or a place inside of one.
	bool is_tried(std::size_t at) const { return seen(at) == tried; }
	bool is_inside_tried(std::size_t at) const { return seen(at) == tried_inside; }
	// Code loads from there: it is not to be run through.
	bool is_data(std::size_t at) const { return bytes_[at] & data; }
	// It is no beginning, whatever it looks like.
	bool is_doubtful(std::size_t at) const { return bytes_[at] & doubtful; }
	bool is_thumb(std::size_t at) const { return bytes_[at] & thumb_code; }
	// A function does.
	bool begins(std::size_t at) const { return bytes_[at] & begin; }
	// Of a settled place: its instruction calls.
	bool calls(std::size_t at) const { return bytes_[at] & call; }
	// Within a function, where no path has been.
	bool is_new(std::size_t at) const { return at < bytes_.size() && !(bytes_[at] & (seen_bits | data | begin)); }

	// Of a settled place: the place after its instruction; and after all that is settled there.
	std::size_t end_of_instruction(std::size_t at) const;
	std::size_t end_of_settled(std::size_t at) const;
	// Whether the instruction before the end of what is settled is Thumb code.
	bool is_thumb_before(std::size_t end) const;

	void set_begin(std::size_t at, bool begins) { set(at, begin, begins ? begin : 0); }
	void set_seen(std::size_t at, Seen seen) { set(at, seen_bits, seen); }
	// The first place of an instruction.
	void try_at(std::size_t at, bool thumb) { set(at, seen_bits | thumb_code, tried | (thumb ? thumb_code : 0)); }
	void add_data(std::size_t at) { set(at, data, data); }
	void add_call(std::size_t at) { set(at, call, call); }
	void doubt(std::size_t at) { set(at, doubtful, doubtful); }

private:
	enum : std::uint8_t { seen_bits = 7, thumb_code = 8, data = 16, doubtful = 32, begin = 64, call = 128 };

	void set(std::size_t at, unsigned mask, unsigned bits)
	{
		bytes_[at] = static_cast<std::uint8_t>((bytes_[at] & ~mask) | bits);
	}

	std::vector<std::uint8_t> bytes_;
};

} // namespace uwind
