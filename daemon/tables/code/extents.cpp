// SPDX-License-Identifier: GPL-2.0
#include "tables/code/extents.h"

#include <algorithm>

namespace uwind {

FunctionExtents extents_of(const std::vector<CodeFunction>& functions, std::uint64_t address, std::size_t places,
			   unsigned place_bytes)
{
	FunctionExtents extents;
	extents.closed.resize(places);
	std::uint64_t closed_until = 0;
	const auto close = [&](std::uint64_t start, std::uint64_t end) { // ranges come in rising order
		end = std::min<std::uint64_t>(end, places);
		for (std::uint64_t at = std::max(start, closed_until); at < end; at++)
			extents.closed[at] = true;
		closed_until = std::max(closed_until, end);
	};
	const auto before = [](const CodeFunction& function, std::uint64_t at) { return function.start < at; };
	auto function = std::lower_bound(functions.begin(), functions.end(), address, before);
	if (function != functions.begin() && function[-1].reach > address)
		close(0, (function[-1].reach - address) / place_bytes);
	for (; function != functions.end() && function->start - address < places * place_bytes; ++function) {
		const std::size_t at = (function->start - address) / place_bytes;
		const std::size_t end = at + std::min<std::uint64_t>(function->bytes / place_bytes, places - at);
		if (function->begins && (function->certain || !extents.closed[at]))
			extents.begins.push_back(at);
		if (function->begins && function->bytes) {
			extents.end_of[at] = std::max(extents.end_of[at], end);
			extents.ends.push_back(end);
		}
		close(at + function->begins, end);
	}
	return extents;
}

} // namespace uwind
