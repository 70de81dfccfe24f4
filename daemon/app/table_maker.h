// SPDX-License-Identifier: GPL-2.0
// Makes a file's table and gives it to the module.
#pragma once

#include <atomic>

#include "app/counts.h"
#include "app/opened_module.h"
#include "app/ports.h"
#include "app/table_shelf.h"

namespace uwind {

// Safe to use from several threads: targets are registered in one, files that
// the module reports get their tables in another.
class TableMaker {
public:
	TableMaker(const Ports& ports, Modules& modules, TableShelf& shelf, EventCounter& events);

	// The outcome goes to modules and is counted as tables_made, _shared (another
	// program's table serves the file), _refused (the budget is full) or _rejected,
	// or as files_without_table. A broken section also counts as sections_refused; a table that
	// was not made anew, as tables_kept.
	void make(const OpenedModule& opened);
	// Destroys the tables of at most so many files that were used neither in this period nor
	// in the last one.
	void give_up_unused(std::size_t most);

private:
	void look_for_table(const OpenedModule& opened);
	void give(const OpenedModule& opened, const TableContent& content);
	Result<MadeTable> create(const TableContent& content);
	Status tie(const OpenedModule& opened, std::uint32_t table);
	void complain(const OpenedModule& opened, const Error& error);

	Kernel& kernel_;
	Clock& clock_;
	Modules& modules_;
	TableShelf& shelf_;
	EventCounter& events_;
	std::atomic<unsigned> complaints_ = 0; // of broken files, so far
};

} // namespace uwind
