// SPDX-License-Identifier: GPL-2.0
// Pieces of JSON.
#include "export/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace uwind {
namespace {

// What stands for itself in JSON.
bool is_plain(char c)
{
	return c >= ' ' && static_cast<unsigned char>(c) < 0x7f && c != '"' && c != '\\';
}

} // namespace

std::string quoted(const std::string& text)
{
	if (std::ranges::all_of(text, is_plain))
		return '"' + text + '"';
	return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string utf8(const std::string& text)
{
	const bool is_ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
	return is_ascii ? text : nlohmann::json::parse(quoted(text)).get<std::string>();
}

std::string or_null(const std::string& text)
{
	return text.empty() ? "null" : quoted(text);
}

} // namespace uwind
