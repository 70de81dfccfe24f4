// SPDX-License-Identifier: GPL-2.0
// A file's unwind rows, as the module takes them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/arch.h"
#include "model/segment.h"

namespace uwind {

// Mirrors struct uwind_rule of uwind.h, which documents kinds, places and DWARF
// register numbers; io/ checks the layout.
struct Rule {
	std::uint8_t kind = 0;
	std::uint8_t cfa_kind = 0;
	std::uint8_t cfa_reg = 0;
	std::uint8_t ra_place = 0;
	std::uint8_t ra_reg = 0;
	std::uint8_t fp_place = 0;
	std::uint8_t fp_reg = 0;
	std::uint8_t base_slot = 0;
	std::int32_t cfa_off = 0;
	std::int32_t cfa_add = 0;
	std::int32_t ra_off = 0;
	std::int32_t fp_off = 0;

	bool operator==(const Rule&) const = default;
};

// rules[rule] applies from this file offset to the next row's.
struct Row {
	std::uint32_t start = 0;
	std::uint32_t rule = 0;

	bool operator==(const Row&) const = default;
};

// Sorted by start, each once. A row whose rule is of kind NONE ends each covered stretch.
struct TableRows {
	std::vector<Row> rows;
	std::vector<Rule> rules;
	std::uint32_t method = 0; // enum uwind_method
	Arch arch = Arch::none;   // none: that of the kernel
	// Rows left out since a row cannot express them: reason → number.
	std::map<std::string, std::uint64_t> inexpressible;
};

} // namespace uwind
