// SPDX-License-Identifier: GPL-2.0
// What a table is made from: an .sframe section as it is, or rows.
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
	std::uint64_t address = 0; // where it was linked, in the space of segments
	std::vector<Segment> segments;
};

using TableContent = std::variant<SframeSection, TableRows>;

// What a file gives.
struct FileContent {
	TableContent content;
	std::string sframe_refused; // where its .sframe section is broken, so that others serve; else ""
};

} // namespace uwind
