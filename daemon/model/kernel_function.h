// SPDX-License-Identifier: GPL-2.0
// What functions of the kernel take and return.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace uwind {

enum class ValueKind : std::uint8_t { other, pointer, is_signed, is_unsigned };

// The words of the report, by kind.
inline constexpr std::string_view value_kinds[] = {"other", "pointer", "signed", "unsigned"};

// A parameter, or what is returned.
struct KernelValue {
	std::string name; // "": of what is returned
	std::string type; // as C has it
	ValueKind kind = ValueKind::other;
	std::uint8_t bytes = 8;                      // of a number
	std::optional<std::uint8_t> register_number; // of those for arguments; nothing: it is in none, or in several
};

struct KernelSignature {
	std::vector<KernelValue> parameters;
	std::optional<KernelValue> returns; // nothing: void
};

// As a value of that type, whatever the rest of its register has: sign-extended, or extended by zeros.
inline std::uint64_t value_of(const KernelValue& type, std::uint64_t in_register)
{
	constexpr unsigned bits_of_byte = 8, bits = 64;
	if (type.bytes == 0 || type.bytes >= sizeof(in_register))
		return in_register;
	const unsigned unused = bits - bits_of_byte * type.bytes;
	if (type.kind == ValueKind::is_signed)
		return static_cast<std::uint64_t>(static_cast<std::int64_t>(in_register << unused) >> unused);
	return in_register << unused >> unused;
}

} // namespace uwind
