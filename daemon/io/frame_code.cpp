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
		if (!in_run_) {
			const std::uint8_t lead = reader_.byte();
			const unsigned method = lead & UWIND_LEAD_METHOD;
			if (method != UWIND_LEAD_RUN && method != UWIND_LEAD_NEAR)
				return read(lead);
			if (!new_places_)
				return std::nullopt;
			in_run_ = (lead >> UWIND_LEAD_PLACE_SHIFT) + 1u;
			is_near_ = method == UWIND_LEAD_NEAR;
		}
		in_run_--;
		return read_alike();
	}

	bool in_run() const { return in_run_; }

private:
	struct Place {
		std::uint32_t file = 0;
		std::uint64_t bias = 0; // pc - bias is an offset in the file
		std::uint64_t pc = 0;   // of the last frame there
	};

	std::optional<StackFrame> read(std::uint8_t lead)
	{
		const unsigned method = lead & UWIND_LEAD_METHOD;
		StackFrame frame;
		frame.method = Method(method == UWIND_LEAD_METHOD ? reader_.byte() : method);
		const unsigned place = lead >> UWIND_LEAD_PLACE_SHIFT & 7;
		if (place == UWIND_PLACES)
			read_new_place(frame);
		else if (place < new_places_)
			read_place(place, frame, reader_.difference());
		else
			return std::nullopt;
		if (lead & UWIND_LEAD_SIZED)
			frame.stack_bytes = std::rotl(reader_.small_number(), 2);
		return noted(frame);
	}

	// Of a run.
	std::optional<StackFrame> read_alike()
	{
		const std::uint8_t low = reader_.byte();
		const std::int64_t difference =
			is_near_ ? static_cast<std::int8_t>(low) : static_cast<std::int16_t>(reader_.byte() << 8 | low);
		StackFrame frame;
		frame.method = method_;
		read_place(last_, frame, static_cast<std::uint64_t>(difference));
		frame.stack_bytes = reader_.byte() * 4u;
		return noted(frame);
	}

	std::optional<StackFrame> noted(const StackFrame& frame)
	{
		pc_ = frame.pc;
		method_ = frame.method;
		return reader_.failed() ? std::nullopt : std::optional(frame);
	}

	void read_new_place(StackFrame& frame)
	{
		frame.file = reader_.small_number();
		frame.offset = reader_.number();
		frame.pc = pc_ + reader_.difference();
		last_ = new_places_++ % UWIND_PLACES;
		places_[last_] = {frame.file, frame.pc - frame.offset, frame.pc};
	}

	void read_place(unsigned number, StackFrame& frame, std::uint64_t difference)
	{
		Place& place = places_[number];
		last_ = number;
		place.pc += difference;
		frame.pc = place.pc;
		frame.offset = frame.pc - place.bias;
		frame.file = place.file;
	}

	Reader& reader_;
	std::array<Place, UWIND_PLACES> places_;
	unsigned new_places_ = 0;
	std::uint64_t pc_ = 0; // of the frame before
	Method method_ = Method::NONE;
	unsigned last_ = 0;   // its place
	unsigned in_run_ = 0; // frames of a run that are left
	bool is_near_ = false;
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
	if (frame_reader.in_run())
		return std::nullopt;
	bytes = reader.rest();
	return frames;
}

} // namespace uwind
