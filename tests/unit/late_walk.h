// SPDX-License-Identifier: GPL-2.0
// A walk of x86-64 that has ended at its first instruction for want of a table, and the table.
#pragma once

#include <cstring>

#include "model/table_rows.h"
#include "model/unfinished.h"

extern "C" {
#include "types.h"
}

namespace uwind {

// At offset 0 a function with a frame of 16 bytes, at 0x100 one that is the outermost.
inline TableRows two_functions(Arch arch = Arch::x86_64)
{
	Rule frame, outermost;
	frame.kind = UW_RULE_FRAME;
	frame.cfa_reg = UW_X86_SP;
	frame.cfa_off = 16;
	frame.ra_place = UW_PLACE_CFA_MEM;
	frame.ra_off = -8;
	outermost.kind = UW_RULE_OUTERMOST;
	TableRows rows;
	rows.rows = {{0, 0}, {0x100, 1}};
	rows.rules = {frame, outermost};
	rows.method = unsigned(Method::EH_FRAME);
	rows.arch = arch;
	return rows;
}

// In file 1, with a stack of one frame of 16 bytes.
inline Unfinished unfinished_at(std::uint64_t pc, std::uint64_t caller)
{
	Unfinished unfinished;
	unfinished.arch = Arch::x86_64;
	unfinished.file = 1;
	unfinished.method = Method::PC;
	unfinished.exact = true;
	unfinished.pc = pc;
	unfinished.known = 1u << UW_X86_SP;
	unfinished.registers[UW_X86_SP] = 0x7000;
	std::vector<std::uint8_t> bytes(16);
	std::memcpy(bytes.data() + 8, &caller, sizeof(caller));
	unfinished.stack = StackBytes(std::move(bytes));
	return unfinished;
}

} // namespace uwind
