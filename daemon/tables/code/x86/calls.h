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

// Ranges of addresses, sorted and apart. Most addresses are in none: a load says so.
class AddressRanges {
public:
	explicit AddressRanges(std::vector<AddressRange> ranges);
	bool empty() const { return ranges_.empty(); }
	bool have(std::uint64_t address) const
	{
		const std::uint64_t line = (address - first_) >> line_bits_;
		return line < lines_.size() && lines_[line] && find(address);
	}

private:
	bool find(std::uint64_t address) const;

	std::vector<AddressRange> ranges_;
	std::uint64_t first_ = 0; // address of the first line
	unsigned line_bits_ = 4;  // functions are aligned to 16 bytes
	std::vector<bool> lines_; // whether a range reaches into it
};

// A stretch of code that rows of table describe, at an address and a file offset.
struct CalledFrom {
	Bytes code;
	std::uint64_t address;
	std::uint32_t offset;
};

// Appends where its calls lead within gaps. A row begins with an instruction, so only those between a
// row's beginning and such a call are decoded.
void find_calls_x86(const CalledFrom& from, const TableRows& table, Arch arch, const AddressRanges& gaps,
		    std::vector<CodeFunction>& functions);

} // namespace uwind
