// SPDX-License-Identifier: GPL-2.0
// Takes in what is told of processes' lives, in a thread of its own: files get their tables, and processes are
// remembered.
#pragma once

#include <atomic>
#include <thread>

#include "app/known_processes.h"
#include "app/tracker.h"

namespace uwind {

class LifeFollower {
public:
	explicit LifeFollower(const Ports& ports);
	~LifeFollower() { finish(); }

	// From now on, until finish(), of this session's processes. Where lives are not told, /proc says what it can:
	// less of what is soon over.
	void begin(const SessionOptions& session, Tracker& tracker);
	bool told() const { return thread_.joinable() || finishing_; }
	// Ends the thread after it has taken in what has happened up to now.
	void finish();

	const KnownProcesses& known() const { return known_; }
	// Events of which nothing is known, since the start.
	std::uint64_t lost() const { return lives_.lost() + known_.not_kept(); }

private:
	void run(Tracker& tracker);
	void take(const LifeRecord& record, Tracker& tracker);
	void learn_parent(const ProcessImage& parent);

	ProcessLives& lives_;
	Processes& processes_;
	Threads& threads_;
	KnownProcesses known_;
	std::atomic<bool> finishing_ = false;
	std::thread thread_; // last: it uses the others
};

} // namespace uwind
