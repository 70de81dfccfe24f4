// SPDX-License-Identifier: GPL-2.0
// Gives files their tables: those that processes map now, and those that the
// module reports as missing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "app/modules.h"
#include "port/clock.h"
#include "port/kernel.h"
#include "port/processes.h"
#include "port/threads.h"

namespace uwind {

// How often what happened, under the names that reports use.
using Counts = std::map<std::string, std::uint64_t>;

inline constexpr char vdso_path[] = "[vdso]";

// A table is made once per file, by a thread of the tracker's own: files are
// opened first, while the process that maps them may still be there, and their
// tables made afterwards.
class Tracker {
public:
	Tracker(Kernel& kernel, Processes& processes, Objects& objects, Threads& threads, Clock& clock,
		Modules& modules);
	~Tracker();

	using StopRequested = std::function<bool()>;

	// Before sampling, in the caller's thread.
	void register_vdso();
	void register_processes(const std::vector<std::uint32_t>& pids, const StopRequested& stop);
	// A program that will be started: its file, its loader and its libraries.
	void register_program(const std::string& path);

	// While sampling; these return at once.
	void note(const FileRecord& record);
	void note_unknown(std::uint32_t file_number, std::uint32_t tgid, std::uint64_t pc);

	// Makes no further tables, and waits until the files met so far are open.
	void finish(std::chrono::milliseconds timeout);
	// Another stretch of time begins: what it does not use may be given up.
	void next_period();
	Counts counts();

private:
	struct Job {
		ModuleId id = 0;
		std::uint32_t file_number = 0; // 0: none
		std::uint32_t tgid = 0;
		std::uint64_t pc = 0; // of a file that was not announced
		Mapping mapping;
		bool make_table = true;
		bool vdso = false; // of 32-bit processes
	};
	struct Opened {
		ModuleId id;
		std::shared_ptr<UniqueFd> fd;
		Result<std::shared_ptr<const Object>> object; // ENOEXEC: neither an ELF file nor a script
		std::string path;
		std::uint32_t tgid = 0; // who maps it; 0: nobody yet, or everybody
		bool vdso = false;
	};

	void run();
	void push(Job job);
	bool take(Job& job);
	void open(Job job);
	void open_vdso(const Job& job);
	bool scan_first_time(const Mapping& mapping);
	void open_neighbours(std::uint32_t tgid);
	std::optional<Mapping> locate(const Job& job);
	bool complete(Job& job);
	std::optional<Module> register_path(const std::string& path);
	void register_library(const std::string& name, const std::string& needed_by, const ObjectFacts& facts,
			      std::set<std::string>& seen);
	void register_libraries(const std::string& path, const ObjectFacts& facts, std::set<std::string>& seen);
	void read_served_paths();
	void register_mapping(std::uint32_t pid, const Mapping& mapping);
	void adopt(ModuleId id, std::uint32_t file_number);
	Opened opened(ModuleId id, UniqueFd fd, const std::string& path, std::uint32_t tgid, bool vdso = false);
	void make_table(const Opened& opened);
	void look_for_table(const Opened& opened);
	void not_opened(const Job& job);
	Result<MadeTable> create(const TableContent& content);
	void serve(const Opened& opened, const TableContent& content);
	Status tie(const Opened& opened, std::uint32_t table);
	void complain(const Opened& opened, const Error& error);
	void count(const std::string& what);

	Kernel& kernel_;
	Processes& processes_;
	Objects& objects_;
	Threads& threads_;
	Clock& clock_;
	Modules& modules_;
	std::optional<ModuleId> vdso_;                              // of 64-bit processes
	std::set<std::pair<std::uint64_t, std::uint64_t>> scanned_; // device, inode; worker's
								    // once sampling began
	std::set<std::string> served_;                              // paths of files with other programs' tables
	std::atomic<unsigned> complaints_ = 0;                      // of broken files, so far
	std::deque<Opened> unserved_;                               // worker's: opened, without a table yet

	std::mutex mutex_; // guards what follows
	std::condition_variable changed_;
	std::deque<Job> jobs_;
	Counts counts_;
	bool busy_ = false;
	bool no_more_tables_ = false;
	bool stopping_ = false;
	std::thread thread_; // last: it uses the others
};

} // namespace uwind
