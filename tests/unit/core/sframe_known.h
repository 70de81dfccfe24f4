// SPDX-License-Identifier: GPL-2.0
// What binutils is known to write wrongly into .sframe, by name.
#pragma once

#include "unit/core/world.h"

#include <filesystem>
#include <map>
#include <string>

namespace core::sframe {

// A row of .sframe that is not what .eh_frame says of the same code.
struct Difference {
	int version;
	std::string function, section; // "": not known
	uw_rule cfi, sframe;
};

// Its name; nullptr: nobody knows why.
const char* known_difference(const Difference& difference);

// A file's names of functions and of sections with code.
class Symbols {
public:
	explicit Symbols(const std::filesystem::path& file);
	std::string at(u64 address) const { return name_at(functions_, address); }
	std::string section_at(u64 address) const { return name_at(sections_, address); }

private:
	struct Named {
		u64 end;
		std::string name;
	};
	using Names = std::map<u64, Named>; // by start

	static std::string name_at(const Names& names, u64 address);

	Names functions_, sections_;
};

} // namespace core::sframe
