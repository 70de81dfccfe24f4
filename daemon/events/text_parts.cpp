// SPDX-License-Identifier: GPL-2.0
// Cutting text.
#include "events/text_parts.h"

#include <algorithm>

#include "base/nearest.h"
#include "base/text.h"

namespace uwind {
namespace {

constexpr std::string_view blanks = " \t\r\n";

// Longer words are not somebody's typing error of a name.
constexpr std::size_t most_nearest = 128;

char lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

} // namespace

std::string_view trimmed(std::string_view text)
{
	const auto begin = text.find_first_not_of(blanks);
	if (begin == std::string_view::npos)
		return {};
	return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string_view> cut(std::string_view text, char separator)
{
	std::vector<std::string_view> parts;
	for (;;) {
		const auto [first, rest] = halves(text, separator);
		parts.push_back(first);
		if (!rest)
			return parts;
		text = *rest;
	}
}

Halves halves(std::string_view text, char separator)
{
	const auto at = text.find(separator);
	if (at == std::string_view::npos)
		return {text, std::nullopt};
	return {text.substr(0, at), text.substr(at + 1)};
}

std::optional<std::uint64_t> parse_integer(std::string_view text)
{
	if (text.starts_with("0x") || text.starts_with("0X"))
		return parse_number(text.substr(2), 16);
	return parse_number(text);
}

bool same_letters(std::string_view a, std::string_view b)
{
	return std::equal(a.begin(), a.end(), b.begin(), b.end(),
			  [](char one, char other) { return lower(one) == lower(other); });
}

bool begins_alike(std::string_view a, std::string_view b)
{
	constexpr std::size_t alike_letters = 3;
	return a.substr(0, alike_letters) == b.substr(0, alike_letters);
}

std::string with_nearest(std::string_view word, const std::vector<std::string>& known)
{
	const std::string near = word.size() > most_nearest ? "" : nearest(word, known);
	const std::string quoted = "'" + std::string(word) + "'";
	return near.empty() ? quoted : quoted + " (do you mean " + near + "?)";
}

} // namespace uwind
