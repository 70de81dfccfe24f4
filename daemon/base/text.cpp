// SPDX-License-Identifier: GPL-2.0
// Small functions on text that several folders need.
#include "base/text.h"

#include <charconv>
#include <cstring>
#include <ctime>

namespace uwind {

std::string hex(std::uint64_t value)
{
	char digits[16];
	const auto end = std::to_chars(digits, digits + sizeof(digits), value, 16).ptr;
	return "0x" + std::string(digits, end);
}

std::string digits_of(Bytes bytes)
{
	static constexpr char digits[] = "0123456789abcdef";
	std::string result;
	for (const std::uint8_t byte : bytes) {
		result += digits[byte >> 4];
		result += digits[byte & 15];
	}
	return result;
}

std::string bytes_of_digits(std::string_view digits)
{
	std::string bytes;
	for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
		const auto byte = parse_number(digits.substr(i, 2), 16);
		if (!byte)
			return {};
		bytes += static_cast<char>(*byte);
	}
	return digits.size() % 2 ? std::string() : bytes;
}

std::optional<std::uint64_t> parse_number(std::string_view text, int base)
{
	std::uint64_t value = 0;
	const char* end = text.data() + text.size();
	const auto parsed = std::from_chars(text.data(), end, value, base);
	if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end)
		return std::nullopt;
	return value;
}

std::string_view next_part(std::string_view& text, char separator)
{
	const auto end = text.find(separator);
	const auto part = text.substr(0, end);
	text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
	return part;
}

std::vector<std::string> strings_in(std::string_view text)
{
	std::vector<std::string> strings;
	while (!text.empty())
		strings.emplace_back(next_part(text, '\0'));
	return strings;
}

std::string_view basename_of(std::string_view path)
{
	const auto slash = path.rfind('/');
	return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view without_deleted(std::string_view path)
{
	constexpr std::string_view mark = " (deleted)";
	return path.ends_with(mark) ? path.substr(0, path.size() - mark.size()) : path;
}

std::string printable(std::string text)
{
	for (char& c : text)
		if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
			c = '?';
	return text;
}

std::string rfc3339(std::int64_t seconds_since_1970)
{
	const std::time_t time = seconds_since_1970;
	std::tm parts{};
	char text[32];
	gmtime_r(&time, &parts);
	const auto length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	return std::string(text, length);
}

std::optional<std::int64_t> parse_rfc3339(const std::string& text)
{
	std::tm parts{};
	const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
	if (rest && *rest == '.')
		rest += 1 + std::strspn(rest + 1, "0123456789");
	rest = rest ? ::strptime(rest, "%z", &parts) : nullptr;
	if (!rest || *rest)
		return std::nullopt;
	const long offset = parts.tm_gmtoff;
	return ::timegm(&parts) - offset;
}

} // namespace uwind
