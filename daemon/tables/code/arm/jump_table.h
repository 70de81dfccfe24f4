// SPDX-License-Identifier: GPL-2.0
// The tables that compilers make of switch statements, known by the instructions before
// the jump.
#pragma once

#include "tables/code/arm/text.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace uwind {

constexpr std::size_t max_jump_table_steps = 12; // instructions that are looked back
constexpr std::size_t max_jump_table_entries = 2048;

struct ArmJumpTable {
	enum class Kind : std::uint8_t {
		halved,    // distances from start, divided by two
		distances, // distances from start
		addresses,
		code, // branches that are jumped to
	};
	Kind kind = Kind::halved;
	bool thumb = false; // the targets
	std::uint8_t entry_bytes = 1;
	std::uint32_t start = 0;                      // address
	std::size_t entries = max_jump_table_entries; // at most

	bool is_code() const { return kind == Kind::code; }
	// Where the entry that these bytes begin with leads.
	std::uint32_t target(Bytes entry, std::size_t number) const;
};

// before: what comes before the jump, the last instruction first.
std::optional<ArmJumpTable> find_jump_table(const ArmInstruction& jump, const std::vector<ArmInstruction>& before,
					    std::uint32_t address, bool thumb);

// Where a table leads, and how long it is: nothing, if what is jumped to is code itself.
struct ArmJumpTargets {
	std::vector<std::size_t> places;
	std::size_t table_bytes = 0;
	std::optional<std::size_t> function; // that begins where the table's end is seen
};

// The table ends where the first of its targets begins, at the latest, and where one of them is a function's beginning.
ArmJumpTargets targets_of(const ArmJumpTable& table, const ArmText& text,
			  const std::function<bool(std::size_t)>& begins);

} // namespace uwind
