// SPDX-License-Identifier: GPL-2.0
// The table of functions that Go's runtime walks stacks with. Linkers put it into every Go
// program, stripped or not.
#pragma once

#include "base/byte_cursor.h"
#include "base/result.h"

#include <string_view>
#include <vector>

namespace uwind {

// From start on, up to the next of the function: how far SP is below where it was at the
// function's first instruction.
struct GoDepth {
	std::uint64_t start, end;
	std::int32_t depth;
};

inline constexpr std::size_t most_go_name_bytes = 4096; // of a longer one the rest is left out

struct GoFunction {
	std::uint64_t start = 0, end = 0;
	std::string_view name; // in the table's bytes
	// It gives SP another value (a stack switch): the depths are not to be relied on. Go says so since 1.17.
	bool writes_sp = false;
	std::size_t first_depth = 0, depths = 0; // in GoTable
};

struct GoTable {
	std::vector<GoFunction> functions; // rising, apart
	std::vector<GoDepth> depths;
	std::size_t bytes = 0; // of the table
};

// The layouts of Go 1.2, 1.16, 1.18 and 1.20, each used up to the next. word: bytes of an
// address. text: what addresses are counted from if the table does not say (since Go
// 1.18; in programs that may lie anywhere, a relocation says it).
// Functions may share their depths. What all of them have in depths is no more than the table's bytes could say of
// functions that share none; later ones have none.
// EBADMSG: it is no such table, or lies about its size.
Result<GoTable> read_go_table(Bytes table, unsigned word, std::uint64_t text);

// Whether a table seems to begin there: its header says what it should.
bool is_go_table(Bytes table, unsigned word);

// What layout 1.18 and its followers say that addresses are counted from, and where in the table; 0: nothing.
struct GoText {
	std::uint64_t at = 0, address = 0;
};
GoText go_text(Bytes table, unsigned word);

} // namespace uwind
