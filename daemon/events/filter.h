// SPDX-License-Identifier: GPL-2.0
// Filters of tracepoints, in the kernel's syntax (Documentation/trace/events.rst): next_pid > 100 && prev_comm ~ "ba*".
//
// A filter is parsed to a tree, whose comparisons become steps in the order in which they stand. Each step says where
// to go on, so that what is decided already is not looked at: && goes on where its left side is true, || where it is
// false, and ! swaps both. So every step leads to a later one, and no loop is possible.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "events/fields.h"
#include "model/event.h"

namespace uwind {

// FIELD COMPARE VALUE
struct FilterTerm {
	std::string field;
	FilterCompare compare = FilterCompare::equal;
	std::string value;
	bool quoted = false;
};

struct FilterNode {
	enum class Kind { term, both, either, invert };
	Kind kind = Kind::term;
	FilterTerm term;
	std::size_t first = 0, second = 0; // nodes; invert has only the first
};

struct FilterTree {
	std::vector<FilterNode> nodes;
	std::size_t root = 0;
};

// EINVAL: the message quotes the place.
Result<FilterTree> parse_filter(std::string_view text);

// EINVAL: the message names the field.
Result<std::vector<FilterStep>> filter_steps(const FilterTree& tree, const std::vector<FilterField>& fields);

// Both.
Result<std::vector<FilterStep>> compile_filter(std::string_view text, const std::vector<FilterField>& fields);

} // namespace uwind
