// SPDX-License-Identifier: GPL-2.0
// Frames written by the module's encoder and read by the daemon's decoder are the same, and small.
#include <catch2/catch.hpp>

#include <random>

#include "io/frame_code.h"
#include "unit/tables/written_frames.h"
#include "uwind.h"

using namespace uwind;

namespace {

using Frames = std::vector<uw_frame>;

constexpr std::size_t most_frames = 64;

class RandomFrames {
public:
	explicit RandomFrames(unsigned seed) : random_(seed) {}

	Frames stack()
	{
		Frames frames(below(most_frames + 1));
		for (uw_frame& frame : frames)
			frame = next();
		return frames;
	}

private:
	std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
	// As many bits as it happens to be, so all lengths of numbers occur.
	std::uint64_t number() { return below(8) ? random_() >> below(64) : ~0ull; }

	// Mostly like one that was met, or near to it.
	uw_frame next()
	{
		uw_frame frame{};
		if (!met_.empty() && below(4)) {
			const std::uint64_t distance = below(4) ? below(100) : below(8192);
			frame = met_.back();
			frame.pc += distance;
			frame.offset += distance;
			frame.stack_bytes = frame.stack_bytes == UW_STACK_BYTES_UNKNOWN ? frame.stack_bytes : 16;
			return frame;
		}
		if (met_.empty() || below(3) == 0) {
			frame = {number(), number(), static_cast<u32>(number()), 0, 0};
			if (below(2))
				met_.push_back(frame);
		} else {
			frame = met_[below(met_.size())];
			const std::uint64_t distance = number();
			frame.pc += distance;
			frame.offset += distance;
		}
		frame.method = static_cast<u8>(below(4) ? below(UW_NR_METHODS) : number());
		frame.stack_bytes = below(3) ? static_cast<u32>(below(512) * 8) : static_cast<u32>(number());
		return frame;
	}

	std::mt19937_64 random_;
	Frames met_;
};

bool is_same(const uw_frame& written, const StackFrame& read)
{
	const bool unknown = written.stack_bytes == UW_STACK_BYTES_UNKNOWN;
	return written.pc == read.pc && written.offset == read.offset && written.file == read.file &&
	       written.method == static_cast<u8>(read.method) &&
	       (unknown ? !read.stack_bytes : read.stack_bytes == written.stack_bytes);
}

void check_round_trip(const Frames& frames)
{
	const auto code = written(frames);
	std::span<const std::uint8_t> bytes(code);
	const auto read = read_frames(bytes, frames.size());
	REQUIRE(read);
	REQUIRE(read->size() == frames.size());
	for (std::size_t i = 0; i < frames.size(); i++)
		REQUIRE(is_same(frames[i], (*read)[i]));
	REQUIRE(bytes.empty());
}

// Callers in the given files, some thousand bytes from each other.
Frames callers(std::size_t count, std::size_t files)
{
	Frames frames;
	std::mt19937_64 random(7);
	for (std::size_t i = 0; i < count; i++) {
		const std::uint64_t file = random() % files;
		const std::uint64_t offset = 0x20000 + random() % 0x200000;
		const auto stack_bytes = static_cast<u32>(16 + random() % 32 * 8);
		frames.push_back({0x7f1234560000 + (file << 24) + offset, offset, static_cast<u32>(100 + file),
				  static_cast<u8>(i ? UW_METHOD_EH_FRAME : UW_METHOD_PC), stack_bytes});
	}
	return frames;
}

} // namespace

TEST_CASE("any frames are read as they were written")
{
	for (unsigned seed = 0; seed < 3000; seed++) {
		INFO(seed);
		check_round_trip(RandomFrames(seed).stack());
	}
}

TEST_CASE("the extremes of each number are read as they were written")
{
	const std::vector<std::uint64_t> extremes{
		0,          1,          0x7f,        0x80,       0x7fffffff,       0x80000000,
		0xfffffffe, 0xffffffff, 0x100000000, ~0ull >> 1, (~0ull >> 1) + 1, ~0ull - 1,
		~0ull};
	for (const std::uint64_t pc : extremes)
		for (const std::uint64_t offset : extremes)
			for (const std::uint64_t small : extremes)
				check_round_trip({{pc, offset, static_cast<u32>(small), 255, static_cast<u32>(small)},
						  {offset, pc, static_cast<u32>(small), 14, 0},
						  {pc - 1, offset - 1, static_cast<u32>(small), 15, 4}});
}

TEST_CASE("more places than are remembered are read as they were written")
{
	Frames frames;
	for (std::uint64_t i = 0; i < most_frames; i++)
		frames.push_back({0x1000 * (i % 9) + i, i, static_cast<u32>(i % 9), UW_METHOD_FP, 16});
	check_round_trip(frames);
}

TEST_CASE("no frame takes more than the most that it may, and one does")
{
	const uw_frame most{1ull << 63, ~0ull, ~0u, 15, 3};
	CHECK(written({most}).size() == UW_FRAME_CODE_BYTES);
	for (unsigned seed = 0; seed < 500; seed++) {
		const Frames frames = RandomFrames(seed).stack();
		REQUIRE(written(frames).size() <= frames.size() * UW_FRAME_CODE_BYTES);
	}
}

TEST_CASE("what does not fit is measured, and nothing behind the room is written")
{
	const Frames frames = callers(20, 3);
	const auto whole = written(frames);
	for (std::size_t room = 0; room <= whole.size(); room++) {
		std::vector<std::uint8_t> code(whole.size() + 1, 0xee);
		REQUIRE(uw_frame_code_write(code.data(), static_cast<u32>(room), frames.data(), 20) == whole.size());
		REQUIRE(code[room] == 0xee);
		if (room == whole.size())
			REQUIRE(std::equal(whole.begin(), whole.end(), code.begin()));
	}
}

TEST_CASE("frames that are cut off anywhere are refused")
{
	const Frames frames = callers(20, 9);
	const auto whole = written(frames);
	for (std::size_t length = 0; length < whole.size(); length++) {
		std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
		cut.shrink_to_fit();
		std::span<const std::uint8_t> bytes(cut);
		REQUIRE_FALSE(read_frames(bytes, frames.size()));
	}
}

TEST_CASE("a lead that is for more frames than there are, or for none before it, is refused")
{
	const auto is_read = [](const std::vector<std::uint8_t>& code, std::size_t frames) {
		std::span<const std::uint8_t> bytes(code);
		return read_frames(bytes, frames).has_value();
	};
	// A frame of a new place, and a run of three more.
	const std::vector<std::uint8_t> code{0x71, 9, 0x40, 0x10, 0x20, 2, 0, 1, 4, 0, 1, 6, 0, 1};
	CHECK(is_read(code, 4));
	CHECK_FALSE(is_read(code, 3));
	CHECK_FALSE(is_read({0x00, 9, 0x40}, 1));
}

TEST_CASE("a run's frames have the method and the file of the frame before it")
{
	const std::vector<std::uint8_t> code =
		GENERATE(std::vector<std::uint8_t>{0xff, 0x42, 9, 0x40, 0x20, 4, 0x10, 1, 0, 8, 0xff, 0xff, 12},
			 std::vector<std::uint8_t>{0xff, 0x42, 9, 0x40, 0x20, 4, 0x1e, 1, 8, 0xff, 12});
	std::span<const std::uint8_t> bytes(code);
	const auto frames = read_frames(bytes, 3);
	REQUIRE(frames);
	CHECK(bytes.empty());
	const std::vector<std::uint64_t> pcs{0x10, 0x11, 0x10};
	for (std::size_t i = 0; i < 3; i++) {
		CHECK((*frames)[i].pc == pcs[i]);
		CHECK((*frames)[i].offset == pcs[i] + 0x30);
		CHECK((*frames)[i].file == 9);
		CHECK((*frames)[i].method == Method(0x42));
		CHECK((*frames)[i].stack_bytes == 16 * (i + 1));
	}
}

TEST_CASE("45 frames of one file take less than 260 bytes, of three files less than 310, and near to each other less "
	  "than 150")
{
	CHECK(written(callers(45, 1)).size() < 260);
	CHECK(written(callers(45, 3)).size() < 310);
	Frames near = callers(45, 1);
	for (std::size_t i = 0; i < near.size(); i++) {
		near[i].pc = 0x7f1234560000 + i * 4000;
		near[i].offset = i * 4000;
	}
	CHECK(written(near).size() < 150);
}
