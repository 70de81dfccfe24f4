// SPDX-License-Identifier: GPL-2.0
// Any frames: what the module's encoder writes of them, the daemon's decoder reads, in any room.
#include <cstring>

#include "io/frame_code.h"
#include "uwind.h"

extern "C" {
#include "frame_code.h"
}

namespace {

constexpr std::size_t frame_bytes = 14;

void require(bool condition)
{
	if (!condition)
		__builtin_trap();
}

// Near to one of the frames before it, like that one or not, or anywhere.
uw_frame make_frame(const std::uint8_t* data, const std::vector<uw_frame>& before)
{
	uw_frame frame{};
	std::uint64_t number;
	std::uint32_t small;
	std::memcpy(&number, data + 2, sizeof(number));
	std::memcpy(&small, data + 10, sizeof(small));
	number >>= data[0] & 63;
	if (!before.empty() && data[0] & 0x80) {
		frame = before[data[1] % before.size()];
		frame.pc += number;
		frame.offset += number;
		if (data[1] & 0x80)
			return frame;
	} else {
		frame = {number * 4097, number, small >> (data[1] & 31), 0, 0};
	}
	frame.stack_bytes = data[0] & 0x40 ? small : UW_STACK_BYTES_UNKNOWN;
	frame.method = data[1];
	return frame;
}

bool is_same(const uw_frame& written, const uwind::StackFrame& read)
{
	const bool unknown = written.stack_bytes == UW_STACK_BYTES_UNKNOWN;
	return written.pc == read.pc && written.offset == read.offset && written.file == read.file &&
	       written.method == static_cast<u8>(read.method) &&
	       (unknown ? !read.stack_bytes : read.stack_bytes == written.stack_bytes);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	std::vector<uw_frame> frames;
	for (std::size_t at = 0; at + frame_bytes <= size; at += frame_bytes)
		frames.push_back(make_frame(data + at, frames));
	const auto nr = static_cast<u32>(frames.size());
	std::vector<u8> code(frames.size() * UW_FRAME_CODE_BYTES);
	const u32 bytes = uw_frame_code_write(code.data(), static_cast<u32>(code.size()), frames.data(), nr);
	require(bytes <= code.size());
	require(uw_frame_code_write(nullptr, 0, frames.data(), nr) == bytes);
	std::span<const std::uint8_t> rest(code.data(), bytes);
	const auto read = uwind::read_frames(rest, nr);
	require(read && read->size() == nr && rest.empty());
	for (u32 i = 0; i < nr; i++)
		require(is_same(frames[i], (*read)[i]));
	return 0;
}
