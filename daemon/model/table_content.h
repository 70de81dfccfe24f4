// SPDX-License-Identifier: GPL-2.0
// What a table is made from: an .sframe section, unchanged, or rows.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/table_rows.h"
#include "model/words.h"

namespace uwind {

// An .sframe section; the module parses it.
struct SframeSection {
	std::vector<std::uint8_t> bytes;
	std::uint64_t address = 0; // of the section; an address as in segments
	std::vector<Segment> segments;
};

using TableContent = std::variant<SframeSection, TableRows>;

// How walks name it. An .sframe section begins with its magic number (2 bytes) and its version (1 byte). NONE: it has
// another version.
inline Method method_of(const TableContent& content)
{
	if (const auto* rows = std::get_if<TableRows>(&content))
		return Method(rows->method);
	const auto& bytes = std::get<SframeSection>(content).bytes;
	const unsigned version = bytes.size() > 2 ? bytes[2] : 0;
	return version >= 1 && version <= 3 ? Method(unsigned(Method::SFRAME_V1) + version - 1) : Method::NONE;
}

// What a file provides.
struct FileContent {
	TableContent content;
	std::string sframe_refused; // why its .sframe section is not used; "": it is used, or there is none
	bool kept = false;          // it was made before, from the same bytes
};

} // namespace uwind
