// SPDX-License-Identifier: GPL-2.0
// Patterns of names. One place to return to is enough: a later * makes every earlier one settled.
#include "events/glob.h"

#include <cstddef>

namespace uwind {
namespace {

constexpr std::size_t none = std::string_view::npos;

// What one character of a text must be: the pattern's length for it, and whether this one is.
struct OneOf {
	std::size_t bytes = 1;
	bool matches = false;
};

// "[...": pattern[at] is the bracket. bytes is 0 if it is never closed.
OneOf match_class(std::string_view pattern, std::size_t at, char letter)
{
	std::size_t next = at + 1;
	const bool inverted = next < pattern.size() && pattern[next] == '!';
	next += inverted;
	bool found = false;
	// A bracket that comes first is one of the characters.
	for (std::size_t first = next; next < pattern.size(); next++) {
		if (pattern[next] == ']' && next != first)
			return {next + 1 - at, found != inverted};
		const auto low = static_cast<unsigned char>(pattern[next]);
		auto high = low;
		if (next + 2 < pattern.size() && pattern[next + 1] == '-' && pattern[next + 2] != ']') {
			high = static_cast<unsigned char>(pattern[next + 2]);
			next += 2;
		}
		const auto is = static_cast<unsigned char>(letter);
		found |= low <= is && is <= high;
	}
	return {0, false};
}

OneOf match_one(std::string_view pattern, std::size_t at, char letter)
{
	if (pattern[at] == '?')
		return {1, true};
	if (pattern[at] == '[')
		if (const OneOf found = match_class(pattern, at, letter); found.bytes)
			return found;
	if (pattern[at] == '\\' && at + 1 < pattern.size())
		return {2, pattern[at + 1] == letter};
	return {1, pattern[at] == letter};
}

} // namespace

bool glob_matches(std::string_view pattern, std::string_view text)
{
	std::size_t at = 0, in = 0, after_star = none, star_in = 0;
	while (in < text.size()) {
		if (at < pattern.size() && pattern[at] == '*') {
			after_star = ++at;
			star_in = in;
			continue;
		}
		const OneOf one = at < pattern.size() ? match_one(pattern, at, text[in]) : OneOf{};
		if (one.matches) {
			at += one.bytes;
			in++;
		} else if (after_star != none) {
			at = after_star;
			in = ++star_in;
		} else {
			return false;
		}
	}
	while (at < pattern.size() && pattern[at] == '*')
		at++;
	return at == pattern.size();
}

bool has_wildcard(std::string_view text)
{
	return text.find_first_of("*?[") != none;
}

} // namespace uwind
