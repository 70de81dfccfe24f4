// SPDX-License-Identifier: GPL-2.0
// DWARF expressions, evaluated symbolically into the few forms that a rule can say.
#pragma once

#include "base/byte_cursor.h"
#include "model/table_rows.h"

#include <cstdint>
#include <optional>

namespace uwind {

// A register number that stands for the CFA.
inline constexpr std::uint8_t cfa_base = 0xff;

enum class Form : std::uint8_t {
	constant, // offset
	address,  // base + offset
	memory,   // *(base + offset) + add
	stepped,  // base + offset, plus add where (pc & mask) >= threshold
	pc_bits,  // (pc + offset) & mask; mask 0: all bits
	pc_step,  // (pc & mask) >= threshold ? add : 0
};

struct Symbolic {
	Form form = Form::constant;
	std::uint8_t base = 0; // DWARF register, or cfa_base
	std::uint8_t mask = 0;
	std::uint8_t threshold = 0;
	std::int64_t offset = 0;
	std::int64_t add = 0;

	bool operator==(const Symbolic&) const = default;
};

// What an expression computes; nothing if none of the forms says it. start is
// what lies on the stack first: the CFA, for a register's rule.
std::optional<Symbolic> evaluate(Bytes expression, Arch arch, std::optional<Symbolic> start);

} // namespace uwind
