// SPDX-License-Identifier: GPL-2.0
// The queue of files to be opened and of tables to be made.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <variant>

#include "app/opened_module.h"

namespace uwind {

// A file that the module reported, to be opened.
struct FileJob {
	std::optional<ModuleId> module; // nothing: it was not announced
	std::uint32_t file_number = 0;  // 0: it has none
	std::uint32_t tgid = 0;         // a process that maps it
	std::uint64_t pc = 0;           // in it, if it was not announced and has no mapping
	Mapping mapping;                // as far as it is known
	bool make_table = true;         // false: another program's table serves the file
	bool sampled = true;            // false: nobody has missed it yet
	bool vdso = false;              // not a file: the vDSO that the process maps
};

// Open a file, or make a table.
using Work = std::variant<FileJob, OpenedModule>;

// Files are opened first, while the processes that map them may still live, and
// tables are made when no file waits: those that were missed first. Safe to use from several threads.
class WorkQueue {
public:
	static constexpr std::size_t max_jobs = 4096;  // files to be opened
	static constexpr std::size_t max_opened = 128; // open files; so many take precedence over files to be opened

	// False: max_jobs wait, and this one is dropped.
	bool push(FileJob job);
	void push(OpenedModule opened);
	// A table that waits is missed from now on.
	void miss(ModuleId id);
	// Fewer than max_opened wait for their tables.
	bool has_room() const;
	void wait_for_room();
	// Waits until all files that were pushed have been opened, and all tables made. False: time was up.
	bool wait_until_made(std::chrono::milliseconds timeout);

	enum class Kind { open, make };
	static Kind kind_of(const Work& work)
	{
		return std::holds_alternative<FileJob>(work) ? Kind::open : Kind::make;
	}
	// Waits for work. Nothing: the queue was closed, whatever is left in it.
	std::optional<Work> take();
	void done(Kind kind); // with what was taken

	// No table is handed out from now on. Waits until all files that were pushed
	// have been opened. False: time was up.
	bool drain(std::chrono::milliseconds timeout);
	void close();

private:
	std::size_t waiting() const { return missed_.size() + opened_.size(); }
	bool has_work() const;
	Work next();

	mutable std::mutex mutex_; // guards what follows
	std::condition_variable changed_;
	std::deque<FileJob> jobs_;
	std::deque<OpenedModule> missed_, opened_;
	unsigned opening_ = 0, making_ = 0; // taken, and not done
	bool draining_ = false;
	bool closed_ = false;
};

} // namespace uwind
