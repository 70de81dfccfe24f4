// SPDX-License-Identifier: GPL-2.0
// The service's own keeping of tables: of what lies below some folders, while nothing else is to be done.
#pragma once

#include <thread>

#include "app/table_keeper.h"
#include "port/clock.h"
#include "port/threads.h"

namespace uwind {

// One thread, which makes one table at a time.
class BackgroundKeeper {
public:
	// A pass over the files that were changed since then (seconds since 1970); 0: over all of them.
	using MakePass = std::function<Result<std::unique_ptr<TableKeeper>>(std::int64_t changed_since_s)>;
	static constexpr std::chrono::milliseconds usual_period = std::chrono::hours(1);

	BackgroundKeeper(Threads& threads, Clock& clock, std::chrono::milliseconds period = usual_period);
	// Waits for a table that is being made.
	~BackgroundKeeper();

	// From now on these passes: one over all files, then, once in each period, one over those that were changed
	// since the last one. A pass that is on its way ends.
	void begin(MakePass make_pass);
	// True: a recording needs tables, and comes first.
	void hold(bool on_hold);
	// Whether a pass has ended since the last call.
	bool take_ended();
	// Begins nothing more; does not wait.
	void stop();
	// Tables that were made or found in the passes since begin().
	std::uint64_t kept() const;

private:
	void run();
	// Both let go of the lock meanwhile, and not in between: the pass that is due is the one that is performed.
	bool wait_for_pass(std::unique_lock<std::mutex>& lock);
	void perform(std::unique_lock<std::mutex>& lock);
	void finish(bool all);

	Threads& threads_;
	Clock& clock_;
	const std::chrono::milliseconds period_;
	mutable std::mutex mutex_; // guards what follows
	std::condition_variable changed_;
	MakePass make_pass_; // empty: nothing is kept
	bool again_ = false; // begin() was called since the last pass began: the next one is over all files
	bool on_hold_ = false, stopped_ = false, ended_ = false;
	std::shared_ptr<TableKeeper> pass_; // on its way
	std::int64_t last_s_ = 0;           // when the last one began
	std::uint64_t kept_ = 0;            // in those that have ended
	int number_ = 0;                    // the thread's; 0: it has ended, or not begun
	std::thread thread_;
};

} // namespace uwind
