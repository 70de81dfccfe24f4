// SPDX-License-Identifier: GPL-2.0
// Gives files their tables: those that targets map before sampling, and those
// that the module reports while it samples.
#pragma once

#include <chrono>

#include "app/file_workers.h"
#include "app/target_registrar.h"

namespace uwind {

// For one thread. What it shares with the workers' threads (modules, counts, scanned
// files, table maker, queue) are classes that are safe to use from several threads.
class Tracker {
public:
	Tracker(const Ports& ports, Modules& modules, TableShelf& shelf);

	// Before sampling: tables for the vDSO, for what these processes map, and for
	// what this program ("": none) is going to map. stop() true ends that early.
	void register_targets(const std::vector<std::uint32_t>& pids, const std::string& program,
			      const StopRequested& stop);

	// While sampling; these return at once. What the queue has no room for counts
	// as files_not_followed.
	void note(const FileRecord& record);
	void note_unannounced(std::uint32_t tgid, const Mapping& mapping);
	// Before its first sample: opens the file itself, while the process lives, unless too many wait for their
	// tables.
	void note_mapped(std::uint32_t tgid, const Mapping& mapping);
	void note_unknown(std::uint32_t file_number, std::uint32_t tgid, std::uint64_t pc);

	// Waits until all files that were noted have been opened, and their tables made. False: time was up.
	bool wait_until_made(std::chrono::milliseconds timeout) { return queue_.wait_until_made(timeout); }
	// Makes no further tables, and waits until the files reported so far are open.
	void finish(std::chrono::milliseconds timeout);
	// Starts another period. Tables that were used neither in it nor in the last one may be destroyed.
	void next_period();
	Counts counts() const { return events_.counts(); }

private:
	void push(FileJob job);

	Modules& modules_;
	EventCounter events_;
	ScannedFiles scanned_;
	TableMaker maker_;
	WorkQueue queue_;
	TargetRegistrar registrar_;
	std::optional<ModuleId> vdso_; // of 64-bit processes
	FileOpener opener_;
	FileWorkers workers_; // last: their threads use the others
};

} // namespace uwind
