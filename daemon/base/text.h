// SPDX-License-Identifier: GPL-2.0
// Small functions on text that several folders need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_cursor.h"

namespace uwind {

// "0x1f"
std::string hex(std::uint64_t value);

// "00ff10": two digits a byte
std::string digits_of(Bytes bytes);

// The bytes of such digits. Empty: they are none.
std::string bytes_of_digits(std::string_view digits);

// All of text as a number of that base. Nothing: it is none; a prefix such as "0x" is not accepted.
std::optional<std::uint64_t> parse_number(std::string_view text, int base = 10);

// Removes and returns the start of text up to the separator, which is removed too; without one, all of it.
std::string_view next_part(std::string_view& text, char separator);

// Of strings that have a NUL behind them, each; the last one's may be missing.
std::vector<std::string> strings_in(std::string_view text);

// What follows the last slash.
std::string_view basename_of(std::string_view path);

// Without the " (deleted)" that the kernel appends to the path of a file that is gone.
std::string_view without_deleted(std::string_view path);

// Control characters become '?': no line ends inside of it, and no terminal obeys it.
std::string printable(std::string text);

// UTC, RFC 3339, seconds: "2026-01-31T23:59:59Z".
std::string rfc3339(std::int64_t seconds_since_1970);
// The seconds of such a time, which may have a fraction, and an offset for Z. Nothing: it is none.
std::optional<std::int64_t> parse_rfc3339(const std::string& text);

} // namespace uwind
