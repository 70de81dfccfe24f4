// SPDX-License-Identifier: GPL-2.0
// Removes places without a successor until each place has one.
#include "tables/code/dead_ends.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace uwind {

std::vector<std::size_t> dead_ends(const std::vector<std::size_t>& places,
				   const std::function<Successors(std::size_t)>& successors)
{
	std::vector<std::pair<std::size_t, std::size_t>> edges; // to, from
	std::unordered_map<std::size_t, unsigned> left;
	std::vector<std::size_t> ends;
	for (const std::size_t at : places) {
		const Successors next = successors(at);
		unsigned count = next.end;
		for (const std::int64_t to : next.to)
			if (to != Successors::nowhere) {
				edges.emplace_back(static_cast<std::size_t>(to), at);
				count++;
			}
		left[at] = count;
		if (!count)
			ends.push_back(at);
	}
	std::sort(edges.begin(), edges.end());
	for (std::size_t i = 0; i < ends.size(); i++) {
		const std::pair<std::size_t, std::size_t> first(ends[i], 0);
		for (auto edge = std::lower_bound(edges.begin(), edges.end(), first);
		     edge != edges.end() && edge->first == first.first; ++edge)
			if (!--left[edge->second])
				ends.push_back(edge->second);
	}
	return ends;
}

} // namespace uwind
