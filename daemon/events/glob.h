// SPDX-License-Identifier: GPL-2.0
// Patterns of names, as the kernel's filters know them.
#pragma once

#include <string_view>

namespace uwind {

// Whether all of text matches: * for any characters, ? for one, [a-z] for one of them, [!a-z] for one of the others, \x
// for x itself. A bracket that is never closed stands for itself. Takes time in proportion to both lengths at most.
bool glob_matches(std::string_view pattern, std::string_view text);

bool has_wildcard(std::string_view text);

// Whether name is that name, or matches it if it has a wildcard.
inline bool name_matches(std::string_view pattern, std::string_view name)
{
	return name == pattern || (has_wildcard(pattern) && glob_matches(pattern, name));
}

} // namespace uwind
