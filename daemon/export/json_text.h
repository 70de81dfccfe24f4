// SPDX-License-Identifier: GPL-2.0
// Pieces of JSON that is written entry by entry, since a tree of a large report would take many times its memory.
#pragma once

#include <optional>
#include <string>

namespace uwind {

// A string with its quotation marks. Bytes that are no UTF-8 become U+FFFD.
std::string quoted(const std::string& text);

// The same text; bytes that are no UTF-8 become U+FFFD.
std::string utf8(const std::string& text);

// The string, or null if it is empty.
std::string or_null(const std::string& text);

template <typename T>
std::string or_null(const std::optional<T>& number)
{
	return number ? std::to_string(*number) : "null";
}

// write(entry) for each of the list, with what separates them in between: "a,b,c".
template <typename List, typename Out, typename Write>
void write_separated(const List& list, Out& out, const char* separator, Write write)
{
	const char* before = "";
	for (const auto& entry : list) {
		out << before;
		write(entry);
		before = separator;
	}
}

} // namespace uwind
