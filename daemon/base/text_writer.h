// SPDX-License-Identifier: GPL-2.0
// Text on its way to a stream. A stream's own operators cost several times as much for the short pieces that reports
// have.
#pragma once

#include <charconv>
#include <concepts>
#include <iosfwd>
#include <string>
#include <string_view>

namespace uwind {

class TextWriter {
public:
	static constexpr std::size_t max_kept = 1 << 16; // bytes; text that is longer goes by at once

	explicit TextWriter(std::ostream& out) : out_(out) { kept_.reserve(max_kept); }
	~TextWriter() { flush(); }
	TextWriter(const TextWriter&) = delete;
	TextWriter& operator=(const TextWriter&) = delete;

	TextWriter& operator<<(std::string_view text);
	TextWriter& operator<<(char c) { return *this << std::string_view(&c, 1); }

	// In decimal digits, those of one byte, too.
	template <std::integral Number>
	requires(!std::same_as<Number, bool>) TextWriter& operator<<(Number number)
	{
		char digits[24];
		const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
		return *this << std::string_view(digits, end);
	}
	template <std::same_as<bool> Truth>
	void operator<<(Truth) = delete; // "true", or 1?

	// All that was written is the stream's then, which says whether it could take it.
	void flush();

private:
	std::ostream& out_;
	std::string kept_;
};

} // namespace uwind
