// SPDX-License-Identifier: GPL-2.0
// Before sampling: tables for the files that targets map or are going to map, so
// that their first samples are complete. What is not found here is a miss later.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/counts.h"
#include "app/modules.h"
#include "app/ports.h"
#include "app/scanned_files.h"
#include "app/work_queue.h"

namespace uwind {

using StopRequested = std::function<bool()>;

// Holds nothing of its own: what it finds goes to modules, scanned and events, and files that need a table
// to the queue. It waits while that is full.
class TargetRegistrar {
public:
	TargetRegistrar(const Ports& ports, Modules& modules, ScannedFiles& scanned, EventCounter& events,
			WorkQueue& queue);

	// The vDSO of 64-bit processes. Nothing: it cannot be read.
	std::optional<ModuleId> register_vdso();
	void register_processes(const std::vector<std::uint32_t>& pids, const StopRequested& stop);
	// A program that will be started: its file, its loader and its libraries.
	void register_program(const std::string& path);

private:
	using Names = std::set<std::string>;

	void push(OpenedModule opened);
	Names served_paths();
	void register_mapping(std::uint32_t pid, const Mapping& mapping, const Names& served);
	std::optional<Module> register_path(const std::string& path);
	void register_library(const std::string& name, const std::string& needed_by, const ObjectFacts& facts,
			      Names& seen);
	void register_libraries(const std::string& path, const ObjectFacts& facts, Names& seen);

	Kernel& kernel_;
	Processes& processes_;
	Objects& objects_;
	Modules& modules_;
	ScannedFiles& scanned_;
	EventCounter& events_;
	WorkQueue& queue_;
};

} // namespace uwind
