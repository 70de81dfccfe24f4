// SPDX-License-Identifier: GPL-2.0
// Cutting text: lists, blanks, numbers, names with wildcards.
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace uwind {

// Without the blanks and newlines at both ends.
std::string_view trimmed(std::string_view text);

// The parts between separators; at least one, perhaps empty.
std::vector<std::string_view> cut(std::string_view text, char separator);

// The part before the first separator, and what follows it; without one, all and nothing.
struct Halves {
	std::string_view first;
	std::optional<std::string_view> rest;
};
Halves halves(std::string_view text, char separator);

// All of text as a number: decimal, or hexadecimal after 0x.
std::optional<std::uint64_t> parse_integer(std::string_view text);

// Of what was typed.
inline Error usage_error(const std::string& what)
{
	return Error{EINVAL, what};
}

bool same_letters(std::string_view a, std::string_view b);

// Of many names, only those that begin like a mistyped one are compared with it.
bool begins_alike(std::string_view a, std::string_view b);

// "'X' (do you mean Y?)"; just "'X'" where no known name is near.
std::string with_nearest(std::string_view word, const std::vector<std::string>& known);

} // namespace uwind
