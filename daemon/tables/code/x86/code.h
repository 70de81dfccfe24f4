// SPDX-License-Identifier: GPL-2.0
// Rows for x86 code that has no CFI, from reading the code itself. arm64/code.h is its counterpart.
#pragma once

#include "base/byte_cursor.h"
#include "model/table_rows.h"
#include "tables/code/function.h"
#include "tables/row_builder.h"

#include <algorithm>
#include <array>
#include <vector>

namespace uwind {

// A longer stretch is left alone: each byte of it takes some memory meanwhile.
constexpr std::uint64_t max_read_x86_bytes = 1 << 20;

// Short stretches that are padding, the last one of each length: those between functions are alike.
class X86Padding {
public:
	bool has(Bytes code) const
	{
		return code.size() < known_.size() && std::ranges::equal(code, known_[code.size()]);
	}
	void add(Bytes code)
	{
		if (code.size() < known_.size())
			known_[code.size()] = code;
	}

private:
	std::array<Bytes, 64> known_{};
};

// Appends the rows of a stretch of code at an address, whose first byte has this file
// offset. Functions begin at those places, where calls go, and where code is aligned and
// returns well, but not inside of those whose size is known. What only a computed jump of a
// function can reach has the frame of that jump.
// Where two paths meet, what they disagree about is lost: that may be a register, not the CFA.
// No rows: functions two of whose paths disagree about the CFA, or that would not find
// their return address; from where a call leads into code that was read with another frame; what follows an instruction
// that is not understood; what leads to nothing else, as zeros do.
void read_code_x86(Bytes code, std::uint64_t address, std::uint32_t offset, const CodeHints& hints, X86Padding& padding,
		   std::vector<Stretch>& stretches);

// Does a function push a register? Its instructions are read in order.
bool pushes_x86(Bytes code, Arch arch);

// Does it give RBP (EBP) another value: by lea, mov, pop or leave? The same.
bool changes_fp_x86(Bytes code, Arch arch);

} // namespace uwind
