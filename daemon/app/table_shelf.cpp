// SPDX-License-Identifier: GPL-2.0
// The tables that were made, for walks that are gone on with here.
#include "app/table_shelf.h"

namespace uwind {
namespace {

std::size_t bytes_of(const TableContent& content)
{
	if (const auto* rows = std::get_if<TableRows>(&content))
		return rows->rows.size() * sizeof(Row) + rows->rules.size() * sizeof(Rule);
	return std::get<SframeSection>(content).bytes.size();
}

} // namespace

void TableShelf::open()
{
	std::lock_guard lock(mutex_);
	is_open_ = true;
}

bool TableShelf::is_open() const
{
	std::lock_guard lock(mutex_);
	return is_open_;
}

std::uint64_t TableShelf::dropped() const
{
	std::lock_guard lock(mutex_);
	return dropped_;
}

// Callers hold mutex_.
void TableShelf::drop_unused()
{
	while (bytes_ > limit_ && uses_.size() > 1) {
		const auto last = entries_.find(uses_.back());
		bytes_ -= last->second.bytes;
		entries_.erase(last);
		uses_.pop_back();
		dropped_++;
	}
}

// Callers hold mutex_.
void TableShelf::keep(ModuleId id, Entry entry)
{
	if (const auto known = entries_.find(id); known != entries_.end()) {
		bytes_ -= known->second.bytes;
		uses_.erase(known->second.use);
	}
	uses_.push_front(id);
	entry.use = uses_.begin();
	bytes_ += entry.bytes;
	entries_[id] = std::move(entry);
	drop_unused();
}

void TableShelf::put(ModuleId id, TableContent content)
{
	std::lock_guard lock(mutex_);
	if (!is_open_)
		return;
	Entry entry;
	entry.bytes = bytes_of(content);
	entry.content = std::make_shared<const TableContent>(std::move(content));
	keep(id, std::move(entry));
}

// What is to be packed yet; else null, and table is set if there is one.
std::shared_ptr<const TableContent> TableShelf::content_of(ModuleId id, std::shared_ptr<const UnwindTable>& table)
{
	std::lock_guard lock(mutex_);
	const auto found = entries_.find(id);
	if (found == entries_.end())
		return nullptr;
	uses_.splice(uses_.begin(), uses_, found->second.use);
	table = found->second.table;
	return found->second.content;
}

// One thread asks; others put meanwhile.
std::shared_ptr<const UnwindTable> TableShelf::get(ModuleId id)
{
	Entry packed;
	const auto content = content_of(id, packed.table);
	if (!content)
		return packed.table;
	if (auto table = unwinder_.table(*content))
		packed.table = std::move(*table);
	packed.bytes = packed.table ? packed.table->bytes() : 0;
	std::lock_guard lock(mutex_);
	auto table = packed.table;
	keep(id, std::move(packed));
	return table;
}

} // namespace uwind
