// SPDX-License-Identifier: GPL-2.0
// Encoded pointers of .eh_frame (Linux Standard Base, "DWARF Extensions").
#pragma once

#include "base/byte_cursor.h"

#include <cstdint>
#include <optional>

namespace uwind {

inline constexpr std::uint8_t pointer_omitted = 0xff;
inline constexpr std::uint8_t pointer_absolute = 0x00;

// The bases to which encoded pointers are relative.
struct PointerBases {
	std::uint64_t section = 0;         // address of the cursor's byte 0
	std::optional<std::uint64_t> text; // textrel
	std::optional<std::uint64_t> data; // datarel
	unsigned word = 8;                 // bytes of an address
};

// Whether read_pointer() can read this encoding with these bases. Indirect
// pointers are refused: they lie in memory that a file does not hold.
bool pointer_supported(std::uint8_t encoding, const PointerBases& bases);

// Reads an encoded pointer. The encoding must be supported. If the bytes end early, cursor.ok() is false.
std::uint64_t read_pointer(ByteCursor& cursor, std::uint8_t encoding, const PointerBases& bases);

// Reads the same bytes as a plain number: a length, or a pointer that is skipped.
std::uint64_t read_pointer_value(ByteCursor& cursor, std::uint8_t encoding, unsigned word);

} // namespace uwind
