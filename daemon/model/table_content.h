// SPDX-License-Identifier: GPL-2.0
// What a table is made from: an .sframe section, unchanged, or rows.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/table_rows.h"

namespace uwind {

// An .sframe section; the module parses it.
struct SframeSection {
	std::vector<std::uint8_t> bytes;
	std::uint64_t address = 0; // of the section; an address as in segments
	std::vector<Segment> segments;
};

using TableContent = std::variant<SframeSection, TableRows>;

// What a file provides.
struct FileContent {
	TableContent content;
	std::string sframe_refused; // why its .sframe section is not used; "": it is used, or there is none
	bool kept = false;          // it was made before, from the same bytes
};

} // namespace uwind
