// SPDX-License-Identifier: GPL-2.0
// Finds the known word that a mistyped one is meant to be.
#include "base/nearest.h"

#include <algorithm>

namespace uwind {

// cost[i][j] is the distance between the first i characters of a and the first j of b.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
	std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
	for (std::size_t i = 0; i <= a.size(); i++) {
		for (std::size_t j = 0; j <= b.size(); j++) {
			if (i == 0 || j == 0) {
				cost[i][j] = i + j;
				continue;
			}
			const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
		}
	}
	return cost[a.size()][b.size()];
}

// A word much longer than a known one cannot be meant by it: that distance is not computed.
std::string nearest(std::string_view word, const std::vector<std::string>& known)
{
	std::string best;
	std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
	for (const std::string& candidate : known) {
		if (word.size() > candidate.size() + least)
			continue;
		const std::size_t distance = edit_distance(word, candidate);
		if (distance < least && distance < candidate.size()) {
			least = distance;
			best = candidate;
		}
	}
	return best;
}

} // namespace uwind
