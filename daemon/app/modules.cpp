// SPDX-License-Identifier: GPL-2.0
// The files that frames lie in.
#include "app/modules.h"

#include <algorithm>

namespace uwind {
namespace {

constexpr std::uint32_t first_own_number = 1u << 31; // the module counts from 1

// Containers come and go, each with an overlay: one more identity of a file takes another's place, but not its own's.
void make_room(std::map<FileIdentity, ModuleId>& identities, ModuleId id, const FileIdentity& own, std::size_t most)
{
	const auto is_of_it = [id](const auto& entry) { return entry.second == id; };
	if (static_cast<std::size_t>(std::ranges::count_if(identities, is_of_it)) < most)
		return;
	const auto is_other = [&](const auto& entry) { return is_of_it(entry) && entry.first != own; };
	if (const auto other = std::ranges::find_if(identities, is_other); other != identities.end())
		identities.erase(other);
}

} // namespace

// A module keeps its first path. True: it had none, and now has this one.
bool Modules::name_nameless(Module& module, const std::string& path)
{
	if (!module.path.empty() || path.empty())
		return false;
	module.path = path;
	return true;
}

// What the module knows as a file of the file system below is an overlay's to processes. Its inode is the same, but
// that an overlay of several file systems may say in the upper half which one it is of.
std::optional<ModuleId> Modules::on_other_device(const FileIdentity& identity, const std::string& path) const
{
	const auto is_it = [&](const auto& one) {
		const FileIdentity& other = one.second.identity;
		return static_cast<std::uint32_t>(other.inode) == static_cast<std::uint32_t>(identity.inode) &&
		       other.bytes == identity.bytes && other.mtime_ns == identity.mtime_ns && one.second.path == path;
	};
	const auto found = path.empty() || !identity.mtime_ns ? modules_.end() : std::ranges::find_if(modules_, is_it);
	return found == modules_.end() ? std::nullopt : std::optional(found->first);
}

Modules::Added Modules::add(const FileIdentity& identity, const std::string& path)
{
	std::lock_guard lock(mutex_);
	auto known = by_identity_.find(identity);
	if (known == by_identity_.end())
		if (const auto other = on_other_device(identity, path)) {
			make_room(by_identity_, *other, modules_[*other].identity, limits_.identities);
			known = by_identity_.emplace(identity, *other).first;
		}
	if (known != by_identity_.end()) {
		modules_[known->second].last_used = period_;
		return {known->second, name_nameless(modules_[known->second], path)};
	}
	const ModuleId id = next_++;
	Module& module = modules_[id];
	module.path = path;
	module.identity = identity;
	module.last_used = period_;
	by_identity_[identity] = id;
	return {id, true};
}

void Modules::bind(std::uint32_t file_number, ModuleId id)
{
	std::lock_guard lock(mutex_);
	bind_locked(file_number, id);
}

void Modules::bind_unknown(std::uint32_t file_number, ModuleId id)
{
	std::lock_guard lock(mutex_);
	if (!by_number_.contains(file_number))
		bind_locked(file_number, id);
}

// Callers hold mutex_.
void Modules::bind_locked(std::uint32_t file_number, ModuleId id)
{
	by_number_[file_number] = id;
	Module* module = find(id);
	if (module && !module->number)
		module->number = file_number;
}

std::optional<ModuleId> Modules::of_mapping(const Mapping& mapping)
{
	const FileIdentity least{mapping.dev_major, mapping.dev_minor, mapping.inode, 0, 0};
	const auto is_it = [&](const FileIdentity& file) {
		return file.dev_major == mapping.dev_major && file.dev_minor == mapping.dev_minor &&
		       file.inode == mapping.inode;
	};
	std::lock_guard lock(mutex_);
	const auto found = by_identity_.lower_bound(least);
	if (found == by_identity_.end() || !is_it(found->first))
		return std::nullopt;
	const auto next = std::next(found);
	if (next != by_identity_.end() && is_it(next->first))
		return std::nullopt;
	return found->second;
}

std::uint32_t Modules::number_of(ModuleId id)
{
	std::lock_guard lock(mutex_);
	const Module* module = find(id);
	if (module && !module->number)
		bind_locked(first_own_number + id, id);
	return module ? module->number : 0;
}

std::optional<ModuleId> Modules::of_number(std::uint32_t file_number)
{
	std::lock_guard lock(mutex_);
	const auto found = by_number_.find(file_number);
	if (found == by_number_.end())
		return std::nullopt;
	modules_[found->second].last_used = period_;
	return found->second;
}

Module* Modules::find(ModuleId id)
{
	const auto found = modules_.find(id);
	return found == modules_.end() ? nullptr : &found->second;
}

// Callers hold mutex_.
void Modules::remember_open(ModuleId id)
{
	open_.remove(id);
	open_.push_front(id);
	while (open_.size() > limits_.open_files) {
		if (Module* oldest = find(open_.back()))
			oldest->fd.reset();
		open_.pop_back();
	}
}

void Modules::set_path(ModuleId id, const std::string& path)
{
	std::lock_guard lock(mutex_);
	if (Module* module = find(id))
		name_nameless(*module, path);
}

void Modules::set_object(ModuleId id, ObjectFacts facts, std::shared_ptr<UniqueFd> fd)
{
	std::lock_guard lock(mutex_);
	Module* module = find(id);
	if (!module)
		return;
	module->facts = std::move(facts);
	module->fd = std::move(fd);
	remember_open(id);
}

void Modules::set_table(ModuleId id, Method method, std::uint32_t table, std::uint64_t rows, std::uint64_t bytes)
{
	std::lock_guard lock(mutex_);
	Module* module = find(id);
	if (!module)
		return;
	module->method = method;
	module->table = table;
	module->rows = rows;
	module->bytes = bytes;
}

void Modules::set_table_known(ModuleId id, std::uint64_t since_ns)
{
	std::lock_guard lock(mutex_);
	if (Module* module = find(id))
		module->table_known_ns = since_ns;
}

bool Modules::table_known(ModuleId id)
{
	std::lock_guard lock(mutex_);
	const Module* module = find(id);
	return !module || module->table_known_ns;
}

bool Modules::has_table(ModuleId id)
{
	std::lock_guard lock(mutex_);
	const Module* module = find(id);
	return module && module->method;
}

std::optional<Module> Modules::get(ModuleId id)
{
	std::lock_guard lock(mutex_);
	const Module* module = find(id);
	if (!module)
		return std::nullopt;
	if (module->fd)
		remember_open(id);
	return *module;
}

// Callers hold mutex_. The longest unused come first.
std::vector<ModuleId> Modules::unused(std::size_t most) const
{
	std::vector<std::pair<std::uint64_t, ModuleId>> candidates;
	for (const auto& [id, module] : modules_)
		if (module.last_used + 1 < period_) // used neither in this period nor in the last one
			candidates.emplace_back(module.last_used, id);
	std::sort(candidates.begin(), candidates.end());
	std::vector<ModuleId> ids;
	for (std::size_t i = 0; i < candidates.size() && i < most; i++)
		ids.push_back(candidates[i].second);
	return ids;
}

// Callers hold mutex_.
void Modules::forget(ModuleId id)
{
	std::erase_if(by_identity_, [id](const auto& entry) { return entry.second == id; });
	std::erase_if(by_number_, [id](const auto& entry) { return entry.second == id; });
	open_.remove(id);
	modules_.erase(id);
}

std::vector<std::uint32_t> Modules::give_up_unused(std::size_t most)
{
	std::lock_guard lock(mutex_);
	std::vector<std::uint32_t> tables;
	for (const ModuleId id : unused(most)) {
		if (const auto table = modules_[id].table)
			tables.push_back(table);
		forget(id);
	}
	return tables;
}

void Modules::next_period()
{
	std::lock_guard lock(mutex_);
	period_++;
}

std::size_t Modules::size()
{
	std::lock_guard lock(mutex_);
	return modules_.size();
}

} // namespace uwind
