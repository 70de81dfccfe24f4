// SPDX-License-Identifier: GPL-2.0
// Finds the known word that a mistyped one is meant to be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace uwind {

// How many characters must be inserted, deleted, replaced or swapped with their
// neighbour to turn one word into the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word with the smallest distance; of several, the first. "": all are further
// away than a third of the word's length, and further than two.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

} // namespace uwind
