// SPDX-License-Identifier: GPL-2.0
// Reads the record stream in a thread of its own, so that the socket's buffer is
// emptied even while the caller is busy.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "base/queue.h"
#include "port/kernel.h"
#include "port/threads.h"

namespace uwind {

// Who waits for records is woken for this batch: a walk lacks a table, or a file is new.
bool is_urgent(const RecordBatch& batch);

// The queue is bounded. While it is full, the socket's buffer fills, and the module
// counts what it cannot send as lost ("dropped").
class Intake {
public:
	Intake(RecordStream& stream, Threads& threads, std::size_t limit = 512);
	~Intake();

	std::optional<RecordBatch> pop(std::chrono::milliseconds timeout) { return queue_.pop(timeout); }
	// Ends the thread after it has read what was sent up to now. Pop until finished().
	void finish()
	{
		draining_ = true;
		stream_.interrupt();
	}
	bool finished() const { return queue_.finished(); }
	// Why reading ended before finish(). Nothing: it did not.
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
