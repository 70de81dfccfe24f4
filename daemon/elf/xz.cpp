// SPDX-License-Identifier: GPL-2.0
#include "elf/xz.h"

#include <algorithm>
#include <cerrno>
#include <lzma.h>

namespace uwind {
namespace {

constexpr std::uint64_t max_decoder_bytes = 72 << 20; // xz -9 needs 65 MiB
constexpr std::size_t step_bytes = 1 << 20;

class Decoder {
public:
	Decoder() : ready_(lzma_stream_decoder(&stream_, max_decoder_bytes, LZMA_CONCATENATED) == LZMA_OK) {}
	~Decoder() { lzma_end(&stream_); }
	Decoder(const Decoder&) = delete;
	Decoder& operator=(const Decoder&) = delete;

	// False: broken, or larger than max_bytes.
	bool run(Bytes packed, std::size_t max_bytes, std::vector<std::uint8_t>& bytes);

private:
	lzma_stream stream_ = LZMA_STREAM_INIT;
	const bool ready_;
};

bool Decoder::run(Bytes packed, std::size_t max_bytes, std::vector<std::uint8_t>& bytes)
{
	bytes.reserve(max_bytes); // avoids copies; pages that are never written take no memory
	stream_.next_in = packed.data();
	stream_.avail_in = packed.size();
	for (lzma_ret state = ready_ ? LZMA_OK : LZMA_PROG_ERROR; state != LZMA_STREAM_END;) {
		if (state != LZMA_OK || bytes.size() >= max_bytes)
			return false;
		const std::size_t before = bytes.size();
		bytes.resize(before + std::min(step_bytes, max_bytes - before));
		stream_.next_out = bytes.data() + before;
		stream_.avail_out = bytes.size() - before;
		state = lzma_code(&stream_, LZMA_FINISH);
		bytes.resize(bytes.size() - stream_.avail_out);
	}
	return true;
}

} // namespace

Result<std::vector<std::uint8_t>> unpack_xz(Bytes packed, std::size_t max_bytes)
{
	std::vector<std::uint8_t> bytes;
	if (Decoder().run(packed, max_bytes, bytes))
		return bytes;
	return Error{EBADMSG, "it is no .xz file of at most " + std::to_string(max_bytes >> 20) + " MiB"};
}

} // namespace uwind
