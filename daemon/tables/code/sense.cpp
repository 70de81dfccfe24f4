// SPDX-License-Identifier: GPL-2.0
// Takes away, again and again, what has no way on that is left.
#include "tables/code/sense.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace uwind {

std::vector<std::size_t> senseless_places(const std::vector<std::size_t>& places,
					  const std::function<PathsOn(std::size_t)>& paths_on)
{
	std::vector<std::pair<std::size_t, std::size_t>> ways; // to, from
	std::unordered_map<std::size_t, unsigned> left;
	std::vector<std::size_t> senseless;
	for (const std::size_t at : places) {
		const PathsOn on = paths_on(at);
		unsigned count = on.end;
		for (const std::int64_t to : on.to)
			if (to != PathsOn::nowhere) {
				ways.emplace_back(static_cast<std::size_t>(to), at);
				count++;
			}
		left[at] = count;
		if (!count)
			senseless.push_back(at);
	}
	std::sort(ways.begin(), ways.end());
	for (std::size_t i = 0; i < senseless.size(); i++) {
		const std::pair<std::size_t, std::size_t> first(senseless[i], 0);
		for (auto way = std::lower_bound(ways.begin(), ways.end(), first);
		     way != ways.end() && way->first == first.first; ++way)
			if (!--left[way->second])
				senseless.push_back(way->second);
	}
	return senseless;
}

} // namespace uwind
