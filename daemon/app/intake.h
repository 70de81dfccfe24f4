// SPDX-License-Identifier: GPL-2.0
// Reads the record stream in a thread of its own, so that the kernel's socket
// buffer is emptied whatever the rest is busy with.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "base/queue.h"
#include "port/kernel.h"
#include "port/threads.h"

namespace uwind {

// The queue is bounded; while it is full the socket fills, and the module counts
// what it could not send as lost ("dropped"): no loss goes unseen.
class Intake {
public:
	Intake(RecordStream& stream, Threads& threads, std::size_t limit = 512);
	~Intake();

	std::optional<RecordBatch> pop(std::chrono::milliseconds timeout) { return queue_.pop(timeout); }
	// Read what has been sent by now, then end. Pop until finished().
	void finish() { draining_ = true; }
	bool finished() const { return queue_.finished(); }
	// Why reading ended too early, if it did.
	std::optional<Error> error();

private:
	void run();

	RecordStream& stream_;
	Threads& threads_;
	BoundedQueue<RecordBatch> queue_;
	std::atomic<bool> draining_ = false;
	std::mutex mutex_; // guards error_
	std::optional<Error> error_;
	std::thread thread_; // last: it uses the others
};

} // namespace uwind
