// SPDX-License-Identifier: GPL-2.0
// Makes tables of files before they run, and keeps them for recordings.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "port/objects.h"
#include "port/program_files.h"

namespace uwind {

struct KeepCounts {
	std::uint64_t files = 0; // ELF files that were found
	std::uint64_t made = 0;
	std::uint64_t before = 0;  // kept already
	std::uint64_t without = 0; // they have no unwind information
	std::uint64_t others = 0;  // of other machines, or no programs and libraries: object files, debug files
	std::uint64_t failed = 0;  // complained of; also what could not be found
	std::uint64_t left = 0;    // not looked at, since no further table can be kept
	std::optional<Error> full; // why not
	int failure = 0;           // the code of the first error that was complained of
	bool stopped = false;      // before all files were found
};

// "12 files: 7 tables made, 2 kept already, …"; what is 0 is left out.
std::string in_words(const KeepCounts& counts);

// One pass over some files. Safe to use from several threads, as many as work().
class TableKeeper {
public:
	// Of what is broken; by one thread at a time.
	using Complain = std::function<void(const Error&)>;

	TableKeeper(std::shared_ptr<Objects> objects, std::unique_ptr<ProgramFiles> files, Complain complain);

	// Until there is no further file, or it is stopped.
	void work();
	// Begins no further file. Those that were begun are finished.
	void stop();
	// True: no further file is begun as long as it is on hold.
	void hold(bool on_hold);
	// False: there is more to do.
	bool wait_until_done(std::chrono::milliseconds timeout);
	KeepCounts counts() const;

private:
	std::optional<Result<ProgramFile>> next();
	bool may_begin();
	bool is_full() const;
	void keep(ProgramFile file);
	void count(const std::string& path, const Result<KeptTableOutcome>& kept);
	void fail(const Error& error);
	void end_one();

	const std::shared_ptr<Objects> objects_;
	const Complain complain_;
	std::mutex walk_; // guards files_
	const std::unique_ptr<ProgramFiles> files_;
	mutable std::mutex mutex_; // guards what follows
	std::condition_variable changed_;
	KeepCounts counts_;
	unsigned begun_ = 0; // files, and not done
	bool on_hold_ = false, stopped_ = false, walked_ = false;
};

} // namespace uwind
