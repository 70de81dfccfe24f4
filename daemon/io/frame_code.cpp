// SPDX-License-Identifier: GPL-2.0
// Reads frames in the encoding of uwind_words.h.
#include "io/frame_code.h"

#include <array>
#include <bit>
#include <limits>

#include "uwind.h"

namespace uwind {
namespace {

// After the first failure all reads give 0, and failed() stays true.
class Reader {
public:
	explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

	bool failed() const { return failed_; }
	std::span<const std::uint8_t> rest() const { return bytes_.subspan(at_); }

	std::uint8_t byte()
	{
		if (at_ == bytes_.size())
			failed_ = true;
		return failed_ ? 0 : bytes_[at_++];
	}

	std::uint64_t number()
	{
		std::uint64_t value = 0;
		for (unsigned shift = 0; shift < 64; shift += 7) {
			const std::uint64_t bits = byte();
			value |= (bits & 0x7f) << shift;
			if (shift == 63 && bits > 1)
				failed_ = true;
			if (!(bits & 0x80))
				break;
		}
		return value;
	}

	std::uint32_t small_number()
	{
		const std::uint64_t value = number();
		if (value > std::numeric_limits<std::uint32_t>::max())
			failed_ = true;
		return static_cast<std::uint32_t>(value);
	}

	std::uint64_t difference()
	{
		const std::uint64_t value = number();
		return value & 1 ? ~(value >> 1) : value >> 1;
	}

private:
	std::span<const std::uint8_t> bytes_;
	std::size_t at_ = 0;
	bool failed_ = false;
};

class FrameReader {
public:
	explicit FrameReader(Reader& reader) : reader_(reader) {}

	// Nothing: the frame cannot be read.
	std::optional<StackFrame> next()
	{
		const std::uint8_t lead = reader_.byte();
		StackFrame frame;
		frame.method = Method(lead & UWIND_LEAD_METHOD);
		if ((lead & UWIND_LEAD_METHOD) == UWIND_LEAD_METHOD)
			frame.method = Method(reader_.byte());
		const unsigned place = lead >> UWIND_LEAD_PLACE_SHIFT & 7;
		if (place == UWIND_PLACES)
			read_new_place(frame);
		else if (place < new_places_)
			read_place(places_[place], frame);
		else
			return std::nullopt;
		if (lead & UWIND_LEAD_SIZED)
			frame.stack_bytes = std::rotl(reader_.small_number(), 2);
		pc_ = frame.pc;
		return reader_.failed() ? std::nullopt : std::optional(frame);
	}

private:
	struct Place {
		std::uint32_t file = 0;
		std::uint64_t bias = 0; // pc - bias is an offset in the file
		std::uint64_t pc = 0;   // of the last frame there
	};

	void read_new_place(StackFrame& frame)
	{
		frame.file = reader_.small_number();
		frame.offset = reader_.number();
		frame.pc = pc_ + reader_.difference();
		places_[new_places_++ % UWIND_PLACES] = {frame.file, frame.pc - frame.offset, frame.pc};
	}

	void read_place(Place& place, StackFrame& frame)
	{
		place.pc += reader_.difference();
		frame.pc = place.pc;
		frame.offset = frame.pc - place.bias;
		frame.file = place.file;
	}

	Reader& reader_;
	std::array<Place, UWIND_PLACES> places_;
	unsigned new_places_ = 0;
	std::uint64_t pc_ = 0; // of the frame before
};

} // namespace

std::optional<std::vector<StackFrame>> read_frames(std::span<const std::uint8_t>& bytes, std::size_t count)
{
	Reader reader(bytes);
	FrameReader frame_reader(reader);
	std::vector<StackFrame> frames;
	frames.reserve(count);
	for (std::size_t i = 0; i < count; i++) {
		const auto frame = frame_reader.next();
		if (!frame)
			return std::nullopt;
		frames.push_back(*frame);
	}
	bytes = reader.rest();
	return frames;
}

} // namespace uwind
