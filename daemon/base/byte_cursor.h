// SPDX-License-Identifier: GPL-2.0
// A bounds-checked reader of little-endian bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace uwind {

using Bytes = std::span<const std::uint8_t>;

// The caller has checked that bytes holds the word, or the halfword.
inline std::uint32_t word_at(Bytes bytes, std::size_t at)
{
	std::uint32_t word;
	std::memcpy(&word, bytes.data() + at, sizeof(word));
	return word;
}

inline std::uint16_t half_at(Bytes bytes, std::size_t at)
{
	std::uint16_t half;
	std::memcpy(&half, bytes.data() + at, sizeof(half));
	return half;
}

// A read past the end gives zero, and ok() stays false from then on.
class ByteCursor {
public:
	explicit ByteCursor(Bytes bytes, std::uint64_t at = 0)
	    : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size())
	{
		skip(at);
	}

	bool ok() const { return ok_; }
	bool done() const { return at_ == end_; }
	std::uint64_t position() const { return static_cast<std::uint64_t>(at_ - begin_); }
	std::uint64_t left() const { return static_cast<std::uint64_t>(end_ - at_); }

	// The next four bytes, zeros past the end; the cursor stays where it is.
	std::uint32_t peek() const
	{
		std::uint32_t word = 0;
		if (left() >= sizeof(word))
			std::memcpy(&word, at_, sizeof(word));
		else
			for (std::size_t i = 0; i < left(); i++)
				word |= std::uint32_t{at_[i]} << (8 * i);
		return word;
	}

	std::uint8_t u8() { return fixed<std::uint8_t>(); }
	std::uint16_t u16() { return fixed<std::uint16_t>(); }
	std::uint32_t u32() { return fixed<std::uint32_t>(); }
	std::uint64_t u64() { return fixed<std::uint64_t>(); }

	std::uint64_t uleb()
	{
		std::uint64_t value = 0;
		for (unsigned shift = 0; shift < 64; shift += 7) {
			const std::uint8_t byte = u8();
			value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
			if (!(byte & 0x80))
				return value;
		}
		fail();
		return 0;
	}

	std::int64_t sleb()
	{
		std::uint64_t value = 0;
		for (unsigned shift = 0; shift < 64; shift += 7) {
			const std::uint8_t byte = u8();
			value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
			if (byte & 0x80)
				continue;
			if (byte & 0x40 && shift + 7 < 64)
				value |= ~std::uint64_t{0} << (shift + 7);
			return static_cast<std::int64_t>(value);
		}
		fail();
		return 0;
	}

	void skip(std::uint64_t bytes)
	{
		if (bytes > left())
			fail();
		else
			at_ += bytes;
	}

	// The next bytes, as a span of their own.
	Bytes take(std::uint64_t bytes)
	{
		if (bytes > left()) {
			fail();
			return {};
		}
		const Bytes taken(at_, bytes);
		at_ += bytes;
		return taken;
	}

	void fail()
	{
		ok_ = false;
		at_ = end_;
	}

private:
	template <typename T>
	T fixed()
	{
		T value = 0;
		if (left() < sizeof(T)) {
			fail();
			return 0;
		}
		std::memcpy(&value, at_, sizeof(T));
		at_ += sizeof(T);
		return value;
	}

	const std::uint8_t* begin_;
	const std::uint8_t* at_;
	const std::uint8_t* end_;
	bool ok_ = true;
};

} // namespace uwind
