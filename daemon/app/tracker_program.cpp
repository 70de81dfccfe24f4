// SPDX-License-Identifier: GPL-2.0
// The tracker before a program starts: tables for what it is going to map, so
// that its first samples are complete. What is not found here is a miss later.
#include <spdlog/spdlog.h>

#include "app/libraries.h"
#include "app/tracker.h"

namespace uwind {

std::optional<Module> Tracker::register_path(const std::string& path)
{
	auto file = processes_.open_path(path);
	if (!file)
		return std::nullopt;
	const std::string real = file->path.empty() ? path : file->path;
	const auto added = modules_.add(file->identity, real);
	if (added.is_new)
		make_table(opened(added.id, std::move(file->fd), real, 0));
	return modules_.get(added.id);
}

void Tracker::register_library(const std::string& name, const std::string& needed_by, const ObjectFacts& facts,
			       std::set<std::string>& seen)
{
	if (seen.size() >= max_libraries || !seen.insert(name).second)
		return;
	for (const auto& path : library_candidates(name, needed_by, facts.library_folders, facts.arch))
		if (const auto module = register_path(path))
			return register_libraries(path, module->facts, seen);
}

void Tracker::register_libraries(const std::string& path, const ObjectFacts& facts, std::set<std::string>& seen)
{
	for (const auto& name : facts.needed)
		register_library(name, path, facts, seen);
}

// A script's interpreter is a program with an interpreter of its own.
void Tracker::register_program(const std::string& path)
{
	std::string next = path;
	for (int depth = 0; depth < 4 && !next.empty(); depth++) {
		const auto module = register_path(next);
		if (!module)
			return spdlog::debug("{}: no such program", next);
		std::set<std::string> seen;
		register_libraries(next, module->facts, seen);
		next = module->facts.interpreter;
	}
}

} // namespace uwind
