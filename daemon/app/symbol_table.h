// SPDX-License-Identifier: GPL-2.0
// The functions of one file, sorted by address.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/demangled.h"
#include "port/objects.h"

namespace uwind {

struct NamedPlace {
	std::string name;         // demangled
	std::uint64_t offset = 0; // from the function's start
};

// The code at a program's ELF entry point.
struct EntryCode {
	std::uint64_t address = 0;
	std::uint64_t bytes = 0; // 0: a library, or not known
};

// A function is found only where its symbol's size covers the address. Entry code
// without a symbol is named "_start".
class SymbolTable {
public:
	SymbolTable(std::vector<Symbol> symbols, EntryCode entry);

	std::optional<NamedPlace> find(std::uint64_t address) const;
	std::size_t size() const { return functions_.size(); }

private:
	struct Function {
		std::uint64_t start;
		std::uint64_t end;
		std::uint64_t reach; // the highest end of this and all earlier functions
		std::size_t name;    // offset in names_; NUL-terminated
	};

	void keep(const std::vector<Symbol>& symbols);
	const Function* covering(std::uint64_t address) const;

	std::vector<Function> functions_; // by start, one per start
	std::string names_;
	EntryCode entry_;
};

} // namespace uwind
