// SPDX-License-Identifier: GPL-2.0
// The functions around addresses. All addresses of a unit are looked for in one pass over its entries.
#include "dwarf/scopes.h"

#include <algorithm>
#include <dwarf.h>
#include <numeric>

namespace uwind {
namespace {

using Indices = std::vector<std::size_t>; // of addresses

bool is_function(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

// What functions stand in, besides functions.
bool is_container(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	}
	return false;
}

class Search {
public:
	Search(const std::vector<Dwarf_Addr>& addresses, ScopeLimits limits, bool everywhere)
	    : addresses_(addresses), limits_(limits), everywhere_(everywhere), found_(addresses.size())
	{
	}

	void visit(Dwarf_Die parent, const Indices& wanted, unsigned depth = 0);
	std::vector<FunctionScopes> take() { return std::move(found_); }

private:
	void enter(Dwarf_Die& entry, int tag, const Indices& wanted, unsigned depth);
	Indices covered(Dwarf_Die& entry, const Indices& wanted) const;

	const std::vector<Dwarf_Addr>& addresses_;
	const ScopeLimits limits_;
	const bool everywhere_; // also in functions whose code is elsewhere
	std::size_t entries_ = 0;
	std::vector<FunctionScopes> found_;
};

// Each once, also where ranges overlap.
Indices Search::covered(Dwarf_Die& entry, const Indices& wanted) const
{
	const auto before = [this](std::size_t index, Dwarf_Addr address) { return addresses_[index] < address; };
	Indices result;
	Dwarf_Addr base = 0, start = 0, end = 0;
	for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&entry, at, &base, &start, &end)) > 0;) {
		const auto first = std::lower_bound(wanted.begin(), wanted.end(), start, before);
		for (auto next = first; next != wanted.end() && addresses_[*next] < end; ++next)
			result.push_back(*next);
	}
	std::sort(result.begin(), result.end());
	result.erase(std::unique(result.begin(), result.end()), result.end());
	return result;
}

void Search::enter(Dwarf_Die& entry, int tag, const Indices& wanted, unsigned depth)
{
	if (!is_function(tag))
		return visit(entry, wanted, depth);
	const Indices inside = covered(entry, wanted);
	for (const std::size_t index : inside)
		if (tag == DW_TAG_inlined_subroutine || found_[index].empty())
			found_[index].push_back(entry);
	if (everywhere_ && tag == DW_TAG_subprogram)
		visit(entry, wanted, depth);
	else if (!inside.empty())
		visit(entry, inside, depth);
}

void Search::visit(Dwarf_Die parent, const Indices& wanted, unsigned depth)
{
	Dwarf_Die entry;
	if (depth >= limits_.depth || dwarf_child(&parent, &entry) != 0)
		return;
	do {
		if (++entries_ > limits_.entries)
			return;
		const int tag = dwarf_tag(&entry);
		if (is_function(tag) || is_container(tag))
			enter(entry, tag, wanted, depth + 1);
	} while (dwarf_siblingof(&entry, &entry) == 0);
}

} // namespace

// Functions within functions, as of Fortran and Ada, have code outside that of the outer one: they are looked for
// only for what is found nowhere else.
std::vector<FunctionScopes> scopes_at(Dwarf_Die unit, const std::vector<Dwarf_Addr>& addresses, ScopeLimits limits)
{
	Indices wanted(addresses.size());
	std::iota(wanted.begin(), wanted.end(), 0);
	Search outer(addresses, limits, false);
	outer.visit(unit, wanted);
	auto found = outer.take();
	std::erase_if(wanted, [&](std::size_t index) { return !found[index].empty(); });
	if (wanted.empty())
		return found;
	Search nested(addresses, limits, true);
	nested.visit(unit, wanted);
	auto more = nested.take();
	for (const std::size_t index : wanted)
		found[index] = std::move(more[index]);
	return found;
}

} // namespace uwind
