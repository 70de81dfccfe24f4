// SPDX-License-Identifier: GPL-2.0
// Which word was meant by one that is mistyped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace uwind {

// How many characters must be put in, taken out, replaced, or swapped with their
// neighbour to make one word of the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The known word with the smallest distance, the first of several; "": none is near
// enough to have been meant (a third of the word's length, and at least two).
std::string nearest(std::string_view word, const std::vector<std::string>& known);

} // namespace uwind
