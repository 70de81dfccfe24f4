// SPDX-License-Identifier: GPL-2.0
// Names for addresses in modules.
#include "app/symbols.h"

#include <algorithm>
#include <spdlog/spdlog.h>

namespace uwind {
namespace {

constexpr std::size_t max_said = 1000;

} // namespace

std::optional<NamedPlace> Symbols::find(ModuleId id, std::uint64_t address)
{
	return table_of(id).find(address);
}

const SymbolTable& Symbols::table_of(ModuleId id)
{
	const auto known =
		std::find_if(kept_.begin(), kept_.end(), [id](const Entry& entry) { return entry.id == id; });
	if (known != kept_.end()) {
		kept_.splice(kept_.begin(), kept_, known);
		return kept_.front().table;
	}
	kept_.push_front({id, load(id)});
	total_ += kept_.front().table.size();
	while (total_ > limit_ && kept_.size() > 1) {
		total_ -= kept_.back().table.size();
		kept_.pop_back();
	}
	return kept_.front().table;
}

// The descriptor from when its table was made, if it is still open; else the file
// that has its path now, if that is the same one.
std::shared_ptr<UniqueFd> Symbols::file_of(const Module& module)
{
	if (module.fd)
		return module.fd;
	auto opened = processes_.open_path(module.path);
	if (!opened || opened->identity.inode != module.identity.inode ||
	    opened->identity.bytes != module.identity.bytes || opened->identity.mtime_ns != module.identity.mtime_ns)
		return nullptr;
	return std::make_shared<UniqueFd>(std::move(opened->fd));
}

SymbolTable Symbols::load(ModuleId id)
{
	const auto module = modules_.get(id);
	const auto fd = module ? file_of(*module) : nullptr;
	if (!fd)
		return SymbolTable({}, {});
	const auto object = objects_.open(fd);
	if (!object)
		return SymbolTable({}, {});
	Functions functions = (*object)->functions(module->path);
	if (!functions.refused.empty())
		say_once(functions.refused);
	return SymbolTable(std::move(functions.symbols), {module->facts.entry, (*object)->entry_bytes()});
}

void Symbols::say_once(const std::string& text)
{
	if (said_.size() < max_said && said_.insert(text).second)
		spdlog::warn("{}", text);
}

} // namespace uwind
