// SPDX-License-Identifier: GPL-2.0
// The tables that were made, for walks that are gone on with here.
#pragma once

#include <list>
#include <map>
#include <mutex>

#include "app/modules.h"
#include "port/unwinder.h"

namespace uwind {

// Safe to use from several threads.
class TableShelf {
public:
	static constexpr std::size_t usual_limit = 128u << 20;

	// limit: bytes of all tables. The longest unused goes first; one that is larger than all of that stays alone.
	explicit TableShelf(Unwinder& unwinder, std::size_t limit = usual_limit) : unwinder_(unwinder), limit_(limit) {}

	// Nothing is kept before open().
	void open();
	bool is_open() const;
	void put(ModuleId id, TableContent content);
	// Null: there is none, or none any more. The first time it is packed.
	std::shared_ptr<const UnwindTable> get(ModuleId id);
	std::uint64_t dropped() const; // for want of room

private:
	struct Entry {
		std::shared_ptr<const TableContent> content; // null: it is packed
		std::shared_ptr<const UnwindTable> table;
		std::size_t bytes = 0;
		std::list<ModuleId>::iterator use;
	};

	void keep(ModuleId id, Entry entry);
	std::shared_ptr<const TableContent> content_of(ModuleId id, std::shared_ptr<const UnwindTable>& table);
	void drop_unused();

	Unwinder& unwinder_;
	const std::size_t limit_;
	mutable std::mutex mutex_; // guards what follows
	bool is_open_ = false;
	std::map<ModuleId, Entry> entries_;
	std::list<ModuleId> uses_; // most recently used first
	std::size_t bytes_ = 0;
	std::uint64_t dropped_ = 0;
};

} // namespace uwind
