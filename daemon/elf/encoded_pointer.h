// SPDX-License-Identifier: GPL-2.0
// Encoded pointers of .eh_frame (Linux Standard Base, "DWARF Extensions").
#pragma once

#include "base/byte_cursor.h"

#include <cstdint>
#include <optional>

namespace uwind {

inline constexpr std::uint8_t pointer_omitted = 0xff;
inline constexpr std::uint8_t pointer_absolute = 0x00;

// What encoded pointers are relative to.
struct PointerBases {
	std::uint64_t section = 0;         // address of the cursor's byte 0
	std::optional<std::uint64_t> text; // textrel
	std::optional<std::uint64_t> data; // datarel
	unsigned word = 8;                 // bytes of an address
};

// Whether read_pointer() can read this encoding with these bases. Indirect
// pointers are refused: they lie in memory that a file does not hold.
bool pointer_supported(std::uint8_t encoding, const PointerBases& bases);

// An encoded pointer. The encoding must be supported; truncation shows in cursor.ok().
std::uint64_t read_pointer(ByteCursor& cursor, std::uint8_t encoding, const PointerBases& bases);

// The same bytes as a plain number: a range, or a pointer to be passed over.
std::uint64_t read_pointer_value(ByteCursor& cursor, std::uint8_t encoding, unsigned word);

} // namespace uwind
