// SPDX-License-Identifier: GPL-2.0
// Why call frame information, or Arm's unwind opcodes, could not become a row. Counted, shown, never fatal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace uwind {

// X(NAME, text)
#define UWIND_CFI_REASONS(X)                                                               \
	X(none, "")                                                                        \
	X(no_cfa, "no rule for the CFA")                                                   \
	X(cfa_register, "CFA on a register that is not a general one")                     \
	X(cfa_expression, "CFA by an expression of an unknown form")                       \
	X(no_ra, "no rule for the return address")                                         \
	X(ra_expression, "return address by an expression of an unknown form")             \
	X(ra_column, "return address in an unusual column")                                \
	X(fp_lost, "frame pointer by an expression of an unknown form (row kept)")         \
	X(sp_rule, "stack pointer is not the CFA")                                         \
	X(offset, "offset of 2 GiB or more")                                               \
	X(instruction, "unknown instruction")                                              \
	X(truncated, "instructions end in the middle of one")                              \
	X(nesting, "states remembered and restored out of balance or too deep")            \
	X(backwards, "location moves backwards")                                           \
	X(version, "CIE of an unknown version")                                            \
	X(augmentation, "CIE with an unknown augmentation")                                \
	X(encoding, "pointer encoding without a base")                                     \
	X(address_size, "CIE with another address size than the file")                     \
	X(outside, "code outside the executable segments")                                 \
	X(contradiction, "CFI that the code or itself contradicts (function passed over)") \
	X(shadowed, "two entries for the same code")                                       \
	X(personality, "unwind table with a reserved personality routine")                 \
	X(table_place, "unwind table apart from the index, or not at a word")              \
	X(refusal, "opcodes that refuse to unwind")                                        \
	X(below_sp, "registers saved below the stack pointer")                             \
	X(too_many_rules, "too many rules")

#define UWIND_CFI_REASON_ENUM(name, text) name,
enum class CfiReason : std::uint8_t { UWIND_CFI_REASONS(UWIND_CFI_REASON_ENUM) count };
#undef UWIND_CFI_REASON_ENUM

#define UWIND_CFI_REASON_TEXT(name, text) text,
inline constexpr std::array<const char*, static_cast<std::size_t>(CfiReason::count)> cfi_reason_text = {
	UWIND_CFI_REASONS(UWIND_CFI_REASON_TEXT)};
#undef UWIND_CFI_REASON_TEXT

} // namespace uwind
