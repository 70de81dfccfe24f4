// SPDX-License-Identifier: GPL-2.0
// The queue of files to be opened and of tables to be made.
#include "app/work_queue.h"

namespace uwind {

bool WorkQueue::push(FileJob job)
{
	std::lock_guard lock(mutex_);
	if (jobs_.size() >= max_jobs)
		return false;
	jobs_.push_back(std::move(job));
	changed_.notify_all();
	return true;
}

void WorkQueue::push(OpenedModule opened)
{
	std::lock_guard lock(mutex_);
	opened_.push_back(std::move(opened));
	changed_.notify_all();
}

bool WorkQueue::has_room() const
{
	std::lock_guard lock(mutex_);
	return opened_.size() < max_opened;
}

// Callers hold mutex_.
bool WorkQueue::has_work() const
{
	return !jobs_.empty() || (!opened_.empty() && !draining_);
}

// Callers hold mutex_, and there is work.
Work WorkQueue::next()
{
	const bool open_first = draining_ || opened_.size() < max_opened;
	if (open_first && !jobs_.empty()) {
		Work work(std::move(jobs_.front()));
		jobs_.pop_front();
		return work;
	}
	Work work(std::move(opened_.front()));
	opened_.pop_front();
	return work;
}

std::optional<Work> WorkQueue::take()
{
	std::unique_lock lock(mutex_);
	busy_ = false;
	changed_.notify_all();
	changed_.wait(lock, [this] { return closed_ || has_work(); });
	if (closed_)
		return std::nullopt;
	busy_ = true;
	return next();
}

bool WorkQueue::drain(std::chrono::milliseconds timeout)
{
	std::unique_lock lock(mutex_);
	draining_ = true;
	return changed_.wait_for(lock, timeout, [this] { return jobs_.empty() && !busy_; });
}

void WorkQueue::close()
{
	std::lock_guard lock(mutex_);
	closed_ = true;
	changed_.notify_all();
}

} // namespace uwind
