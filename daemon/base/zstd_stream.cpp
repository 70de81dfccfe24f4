// SPDX-License-Identifier: GPL-2.0
// Streams that compress, and undo it.
#include "base/zstd_stream.h"

#include <new>
#include <zstd.h>

namespace uwind {

ZstdWriter::ZstdWriter(std::streambuf& out)
    : out_(out), context_(ZSTD_createCCtx()), plain_(ZSTD_CStreamInSize()), packed_(ZSTD_CStreamOutSize())
{
	if (!context_)
		throw std::bad_alloc();
	ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
	setp(plain_.data(), plain_.data() + plain_.size());
}

void ZstdWriter::free(ZSTD_CCtx_s* context)
{
	ZSTD_freeCCtx(context);
}

// Takes all that was written.
bool ZstdWriter::compress(bool last)
{
	ZSTD_inBuffer in{pbase(), static_cast<std::size_t>(pptr() - pbase()), 0};
	setp(plain_.data(), plain_.data() + plain_.size());
	for (std::size_t left = 1; last ? left : in.pos < in.size;) {
		ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
		left = ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
		const auto length = static_cast<std::streamsize>(out.pos);
		if (ZSTD_isError(left) || out_.sputn(packed_.data(), length) != length)
			return false;
	}
	return true;
}

ZstdWriter::int_type ZstdWriter::overflow(int_type byte)
{
	if (!compress(false))
		return traits_type::eof();
	if (!traits_type::eq_int_type(byte, traits_type::eof()))
		sputc(traits_type::to_char_type(byte));
	return traits_type::not_eof(byte);
}

bool ZstdWriter::finish()
{
	return compress(true);
}

ZstdReader::ZstdReader(std::streambuf& in, std::uint64_t limit)
    : in_(in), limit_(limit), context_(ZSTD_createDCtx()), plain_(ZSTD_DStreamOutSize()), packed_(ZSTD_DStreamInSize())
{
	if (!context_)
		throw std::bad_alloc();
}

void ZstdReader::free(ZSTD_DCtx_s* context)
{
	ZSTD_freeDCtx(context);
}

// False: there are no further bytes.
bool ZstdReader::fill()
{
	if (begin_ < end_)
		return true;
	const std::streamsize length = in_.sgetn(packed_.data(), static_cast<std::streamsize>(packed_.size()));
	begin_ = 0;
	end_ = length > 0 ? static_cast<std::size_t>(length) : 0;
	return end_ > 0;
}

// The number of bytes that came of it.
std::size_t ZstdReader::decompress()
{
	ZSTD_inBuffer in{packed_.data(), end_, begin_};
	ZSTD_outBuffer out{plain_.data(), plain_.size(), 0};
	const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
	begin_ = in.pos;
	in_frame_ = left != 0;
	if (ZSTD_isError(left))
		error_ = ZSTD_getErrorName(left);
	else if ((bytes_ += out.pos) > limit_)
		error_ = "more than " + std::to_string(limit_) + " bytes";
	return error_.empty() ? out.pos : 0;
}

ZstdReader::int_type ZstdReader::underflow()
{
	for (std::size_t length = 0; error_.empty();) {
		// What is left within the library needs no further bytes.
		const bool more = fill();
		if (more || in_frame_)
			length = decompress();
		if (length) {
			setg(plain_.data(), plain_.data(), plain_.data() + length);
			return traits_type::to_int_type(*gptr());
		}
		if (!more) {
			if (in_frame_)
				error_ = "it ends too early";
			break;
		}
	}
	return traits_type::eof();
}

} // namespace uwind
