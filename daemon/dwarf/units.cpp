// SPDX-License-Identifier: GPL-2.0
// The units of a file's debug information, by the addresses of their code.
#include "dwarf/units.h"

#include <algorithm>
#include <cstdint>
#include <dwarf.h>

namespace uwind {

DwarfUnits::DwarfUnits(Dwarf* dwarf)
{
	Dwarf_CU* unit = nullptr;
	Dwarf_Die own{}, split{};
	std::uint8_t type = 0;
	while (dwarf_get_units(dwarf, unit, &unit, nullptr, &type, &own, &split) == 0) {
		if (type == DW_UT_compile)
			add(own, own);
		else if (type == DW_UT_skeleton)
			add(own, split.addr ? split : own);
		if (type == DW_UT_skeleton && !split.addr)
			note_missing(own);
	}
	std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.start < b.start; });
	Dwarf_Addr reach = 0;
	for (Range& range : ranges_)
		range.reach = reach = std::max(reach, range.end);
}

void DwarfUnits::note_missing(Dwarf_Die& skeleton)
{
	Dwarf_Attribute attribute;
	for (const unsigned name : {DW_AT_dwo_name, DW_AT_GNU_dwo_name})
		if (const char* text = dwarf_formstring(dwarf_attr(&skeleton, name, &attribute));
		    text && !missing_.units)
			missing_.name = text;
	missing_.units++;
}

// Code of functions that the linker left out stays at address 0.
void DwarfUnits::add(const Dwarf_Die& lines, const Dwarf_Die& scopes)
{
	Dwarf_Die die = lines;
	Dwarf_Addr base = 0, start = 0, end = 0;
	for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;)
		if (start != 0 && start < end)
			ranges_.push_back({start, end, units_.size()});
	units_.push_back({lines, scopes});
}

const DwarfUnit* DwarfUnits::at(Dwarf_Addr address) const
{
	auto next = std::upper_bound(ranges_.begin(), ranges_.end(), address,
				     [](Dwarf_Addr value, const Range& range) { return value < range.start; });
	while (next != ranges_.begin() && address < std::prev(next)->reach)
		if (address < (--next)->end)
			return &units_[next->unit];
	return nullptr;
}

} // namespace uwind
