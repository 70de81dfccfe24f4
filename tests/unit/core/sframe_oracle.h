// SPDX-License-Identifier: GPL-2.0
// What binutils' readelf --sframe prints of a section, versions 1 to 3.
#pragma once

#include "unit/core/world.h"

#include <istream>
#include <string>
#include <vector>

namespace core::sframe {

struct OracleRow {
	u64 start; // where the function repeats: counted from the block's start
	std::string cfa, fp, ra;
};

struct OracleFunction {
	u64 start = 0;
	u64 bytes = 0;
	bool repeats = false;
	bool signal = false;
	std::vector<OracleRow> rows;

	u64 end() const { return start + bytes; }
	u64 row_end(std::size_t i, u64 limit) const { return i + 1 < rows.size() ? rows[i + 1].start : limit; }
};

struct Oracle {
	int version = 0; // 0: no section
	std::vector<OracleFunction> functions;
};

Oracle parse_oracle(std::istream& in);

// The core's rule for what a row's columns say.
uw_rule rule_of(const OracleRow& row, uw_arch arch);

} // namespace core::sframe
