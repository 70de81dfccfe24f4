// SPDX-License-Identifier: GPL-2.0
// The functions of one file, ordered for look-up.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/objects.h"

namespace uwind {

struct NamedPlace {
	std::string name;         // demangled
	std::uint64_t offset = 0; // from the function's start
};

// The code that a program begins with.
struct EntryCode {
	std::uint64_t address = 0;
	std::uint64_t bytes = 0; // 0: a library, or not known
};

// A name counts only where the symbol's size covers the address. Entry code is
// called "_start" where nothing else is named.
class SymbolTable {
public:
	SymbolTable(std::vector<Symbol> symbols, EntryCode entry);

	std::optional<NamedPlace> find(std::uint64_t address) const;
	std::size_t size() const { return functions_.size(); }

private:
	struct Function {
		std::uint64_t start;
		std::uint64_t end;
		std::uint64_t reach; // the furthest end up to here
		std::size_t name;    // where it begins in names_; ends at a NUL
	};

	void keep(const std::vector<Symbol>& symbols);
	const Function* covering(std::uint64_t address) const;

	std::vector<Function> functions_; // by start, one per start
	std::string names_;
	EntryCode entry_;
};

// A C++ name as people write it; anything else as it is.
std::string demangled(const std::string& name);

} // namespace uwind
