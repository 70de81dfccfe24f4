// SPDX-License-Identifier: GPL-2.0
// The units of a file's debug information (DWARF 5, 3.1), by the addresses of their code.
#pragma once

#include <elfutils/libdw.h>
#include <string>
#include <vector>

namespace uwind {

struct DwarfUnit {
	Dwarf_Die lines;  // whose line table it is
	Dwarf_Die scopes; // whose functions: of split debug information (3.1.3) another one
};

class DwarfUnits {
public:
	// Reads each unit's ranges, but not .debug_aranges, which some compilers leave out. dwarf: as long as this.
	explicit DwarfUnits(Dwarf* dwarf);

	// Null: none has code there.
	const DwarfUnit* at(Dwarf_Addr address) const;
	bool empty() const { return ranges_.empty(); }
	// Those whose split debug information (3.1.2) is not found, and the name that the first gives.
	struct Missing {
		std::size_t units = 0;
		std::string name;
	};
	const Missing& missing() const { return missing_; }

private:
	struct Range {
		Dwarf_Addr start, end;
		std::size_t unit;
		Dwarf_Addr reach = 0; // the highest end of this and all earlier ones
	};

	void note_missing(Dwarf_Die& skeleton);
	void add(const Dwarf_Die& lines, const Dwarf_Die& scopes);

	std::vector<DwarfUnit> units_;
	std::vector<Range> ranges_; // by start; where some overlap, the one that begins last is taken
	Missing missing_;
};

} // namespace uwind
