// SPDX-License-Identifier: GPL-2.0
// Names for addresses in modules. Keeps the symbol tables that were used last.
#pragma once

#include <list>
#include <memory>
#include <set>

#include "app/modules.h"
#include "app/symbol_table.h"
#include "port/processes.h"

namespace uwind {

// Used by one thread.
class Symbols {
public:
	Symbols(Objects& objects, Processes& processes, Modules& modules, std::size_t limit = 4u << 20)
	    : objects_(objects), processes_(processes), modules_(modules), limit_(limit)
	{
	}

	// address: virtual address in the module's ELF file.
	std::optional<NamedPlace> find(ModuleId id, std::uint64_t address);

private:
	struct Entry {
		ModuleId id;
		SymbolTable table;
	};

	const SymbolTable& table_of(ModuleId id);
	SymbolTable load(ModuleId id);
	void say_once(const std::string& text);
	std::shared_ptr<UniqueFd> file_of(const Module& module);

	Objects& objects_;
	Processes& processes_;
	Modules& modules_;
	const std::size_t limit_; // symbols in all tables that are kept
	std::list<Entry> kept_;   // most recently used first
	std::size_t total_ = 0;
	std::set<std::string> said_; // messages about debug files that were logged: each only once
};

} // namespace uwind
