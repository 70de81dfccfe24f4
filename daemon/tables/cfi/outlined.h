// SPDX-License-Identifier: GPL-2.0
// Code that a compiler moved out of a function, whose CFI says so: its caller is that function,
// at an address that is a constant away. glibc up to 2.2x has such code where locks wait:
//
//   function:   …; jnz block; back: …
//   block:      lea lock, %rdi; sub $128, %rsp; call wait; add $128, %rsp; jmp back
//
// The return address of each instruction of the block is pc + constant: further down in the
// block, and from there back in the function. Nothing has been pushed for such a call, and a
// rule cannot say pc + constant; but what the function's row says at that address, counted from
// this frame's SP, is a rule. With it the block's frame has the function's caller: the
// block stands for the function.
#pragma once

#include "elf/file.h"
#include "elf/segments.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// What CFI says of a stretch of such code.
struct OutlinedRow {
	OffsetRange range;          // in the file
	std::uint64_t bias = 0;     // address - offset
	std::int64_t to_caller = 0; // return address - pc
	std::uint8_t cfa_reg = 0;
	std::int32_t cfa_off = 0;

	// The next row says the same of what follows.
	bool continues(const OutlinedRow& next) const
	{
		return range.end == next.range.start && bias == next.bias && to_caller == next.to_caller &&
		       cfa_reg == next.cfa_reg && cfa_off == next.cfa_off;
	}
};

// One rule for each instruction of these rows (sorted, apart): the one that table has for its
// caller, counted from here; of kind UNKNOWN where there is none.
std::vector<Stretch> compose_outlined(const std::vector<OutlinedRow>& rows, const TableRows& table,
				      const ElfFile& program);

} // namespace uwind
