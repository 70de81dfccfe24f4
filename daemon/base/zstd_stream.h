// SPDX-License-Identifier: GPL-2.0
// Streams that compress, and undo it: zstd (RFC 8878).
#pragma once

#include <cstdint>
#include <memory>
#include <streambuf>
#include <string>
#include <vector>

#include "base/handle.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace uwind {

// What is written to it goes to another buffer in one frame, with a checksum.
class ZstdWriter : public std::streambuf {
public:
	// out: as long as this.
	explicit ZstdWriter(std::streambuf& out);

	// The frame ends. False: the other buffer has not taken all.
	bool finish();

protected:
	int_type overflow(int_type byte) override;
	int sync() override { return compress(false) ? 0 : -1; }

private:
	bool compress(bool last);
	static void free(ZSTD_CCtx_s* context);

	std::streambuf& out_;
	const std::unique_ptr<ZSTD_CCtx_s, FreeWith<&ZstdWriter::free>> context_;
	std::vector<char> plain_, packed_;
};

// What is read from it is what another buffer has compressed; it may have several frames. A window of at most 128 MiB.
class ZstdReader : public std::streambuf {
public:
	static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 30; // a few bytes may stand for any number

	// in: as long as this.
	explicit ZstdReader(std::streambuf& in, std::uint64_t limit = most_bytes);

	// What was wrong: no further bytes are there then. "": nothing.
	const std::string& error() const { return error_; }

protected:
	int_type underflow() override;

private:
	bool fill();
	std::size_t decompress();
	static void free(ZSTD_DCtx_s* context);

	std::streambuf& in_;
	const std::uint64_t limit_;
	const std::unique_ptr<ZSTD_DCtx_s, FreeWith<&ZstdReader::free>> context_;
	std::vector<char> plain_, packed_;
	std::size_t begin_ = 0, end_ = 0; // of what is left in packed_
	std::uint64_t bytes_ = 0;         // that were there
	bool in_frame_ = false;
	std::string error_;
};

} // namespace uwind
