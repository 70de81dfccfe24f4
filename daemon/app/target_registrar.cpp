// SPDX-License-Identifier: GPL-2.0
// Before sampling: tables for the files that targets map or are going to map.
#include "app/target_registrar.h"

#include <spdlog/spdlog.h>

#include "app/libraries.h"

namespace uwind {

TargetRegistrar::TargetRegistrar(const Ports& ports, Modules& modules, ScannedFiles& scanned, EventCounter& events,
				 WorkQueue& queue)
    : kernel_(ports.kernel), processes_(ports.processes), objects_(ports.objects), modules_(modules), scanned_(scanned),
      events_(events), queue_(queue)
{
}

void TargetRegistrar::push(OpenedModule opened)
{
	queue_.wait_for_room();
	queue_.push(with_object(std::move(opened), objects_, modules_));
}

std::optional<ModuleId> TargetRegistrar::register_vdso()
{
	auto fd = processes_.open_vdso();
	if (!fd) {
		spdlog::debug("{}", fd.error("no table for the vDSO").message);
		return std::nullopt;
	}
	const ModuleId id = modules_.add(FileIdentity{}, vdso_path).id;
	OpenedModule vdso{id, std::make_shared<UniqueFd>(std::move(*fd)), vdso_path};
	vdso.vdso = true;
	push(std::move(vdso));
	return id;
}

// Files with such a path probably have another program's table. A file that has
// none is reported by the module.
TargetRegistrar::Names TargetRegistrar::served_paths()
{
	Names paths;
	const auto tables = kernel_.tables();
	if (!tables)
		return paths;
	for (const TableInfo& table : *tables)
		if (table.file && !table.path.empty())
			paths.insert(table.path);
	return paths;
}

void TargetRegistrar::register_mapping(std::uint32_t pid, const Mapping& mapping, const Names& served)
{
	if (!scanned_.add(mapping) || served.contains(mapping.path))
		return;
	auto file = processes_.open_mapped(pid, mapping);
	if (!file) {
		spdlog::debug("{}", file.error().message);
		return events_.count("files_not_opened");
	}
	const auto added = modules_.add(file->identity, mapping.path);
	if (!added.is_new)
		return;
	OpenedModule opened{added.id, std::make_shared<UniqueFd>(std::move(file->fd)), mapping.path, pid};
	push(std::move(opened));
}

void TargetRegistrar::register_processes(const std::vector<std::uint32_t>& pids, const StopRequested& stop)
{
	const Names served = served_paths();
	for (const auto pid : pids) {
		const auto mappings = processes_.mappings(pid);
		if (!mappings)
			continue; // gone, or a kernel thread
		for (const Mapping& mapping : *mappings) {
			if (stop())
				return;
			register_mapping(pid, mapping, served);
		}
	}
}

std::optional<Module> TargetRegistrar::register_path(const std::string& path)
{
	auto file = processes_.open_path(path);
	if (!file)
		return std::nullopt;
	const std::string real = file->path.empty() ? path : file->path;
	const auto added = modules_.add(file->identity, real);
	if (added.is_new) {
		OpenedModule opened{added.id, std::make_shared<UniqueFd>(std::move(file->fd)), real};
		push(std::move(opened));
	}
	return modules_.get(added.id);
}

void TargetRegistrar::register_library(const std::string& name, const std::string& needed_by, const ObjectFacts& facts,
				       Names& seen)
{
	if (seen.size() >= max_libraries || !seen.insert(name).second)
		return;
	for (const auto& path : library_candidates(name, needed_by, facts.library_folders, facts.arch))
		if (const auto module = register_path(path))
			return register_libraries(path, module->facts, seen);
}

void TargetRegistrar::register_libraries(const std::string& path, const ObjectFacts& facts, Names& seen)
{
	for (const auto& name : facts.needed)
		register_library(name, path, facts, seen);
}

// A script's interpreter is a program with an interpreter of its own.
void TargetRegistrar::register_program(const std::string& path)
{
	std::string next = path;
	for (int depth = 0; depth < 4 && !next.empty(); depth++) {
		const auto module = register_path(next);
		if (!module)
			return spdlog::debug("{}: no such program", next);
		Names seen;
		register_libraries(next, module->facts, seen);
		next = module->facts.interpreter;
	}
}

} // namespace uwind
