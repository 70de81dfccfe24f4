// SPDX-License-Identifier: GPL-2.0
// A function and a line of its source, as debug information has them.
#pragma once

#include <cstdint>
#include <string>

namespace uwind {

struct SourcePlace {
	std::string function;   // as in the file: mangled; "": not known
	std::string file;       // its path when it was compiled; "": not known
	std::uint32_t line = 0; // 0: not known

	bool operator==(const SourcePlace&) const = default;
};

} // namespace uwind
