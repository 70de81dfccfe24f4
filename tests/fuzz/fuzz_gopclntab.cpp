// SPDX-License-Identifier: GPL-2.0
// Any bytes as Go's table of functions: functions in order, depths within them and no more than its bytes hold, or an
// error. The first byte says how long an address is.
#include <cstdlib>

#include "tables/go/pclntab.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
	if (!bytes)
		return 0;
	const unsigned word = data[0] & 1 ? 4 : 8;
	const uwind::Bytes rest(data + 1, bytes - 1);
	const auto table = uwind::read_go_table(rest, word, 0x401000);
	if (uwind::go_text(rest, word).at > bytes)
		std::abort();
	if (!table)
		return 0;
	if (table->depths.size() * 2 > bytes)
		std::abort();
	std::uint64_t behind = 0;
	for (const uwind::GoFunction& function : table->functions) {
		if (function.start < behind || function.start >= function.end)
			std::abort();
		behind = function.end;
		std::uint64_t at = function.start;
		for (std::size_t i = 0; i < function.depths; i++) {
			const uwind::GoDepth& depth = table->depths.at(function.first_depth + i);
			if (depth.start < at || depth.start >= depth.end || depth.end > behind || depth.depth < 0)
				std::abort();
			at = depth.end;
		}
	}
	return 0;
}
