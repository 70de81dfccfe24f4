// SPDX-License-Identifier: GPL-2.0
// Calls from x86 code that has rows into code that has none.
#pragma once

#include "base/byte_cursor.h"
#include "model/table_rows.h"
#include "tables/code/function.h"

#include <vector>

namespace uwind {

struct AddressRange {
	std::uint64_t start = 0, end = 0;
};

// A stretch of code that rows of table describe, at an address and a file offset.
struct CalledFrom {
	Bytes code;
	std::uint64_t address;
	std::uint32_t offset;
};

// Appends where its calls lead within gaps (sorted, apart). A row begins with an instruction, so only those between a
// row's beginning and such a call are decoded.
void find_calls_x86(const CalledFrom& from, const TableRows& table, Arch arch, const std::vector<AddressRange>& gaps,
		    std::vector<CodeFunction>& functions);

} // namespace uwind
