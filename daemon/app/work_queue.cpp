// SPDX-License-Identifier: GPL-2.0
// The queue of files to be opened and of tables to be made.
#include "app/work_queue.h"

#include <algorithm>

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
	(opened.missed ? missed_ : opened_).push_back(std::move(opened));
	changed_.notify_all();
}

void WorkQueue::miss(ModuleId id)
{
	std::lock_guard lock(mutex_);
	const auto found = std::ranges::find(opened_, id, &OpenedModule::id);
	if (found == opened_.end())
		return;
	missed_.push_back(std::move(*found));
	opened_.erase(found);
}

bool WorkQueue::has_room() const
{
	std::lock_guard lock(mutex_);
	return waiting() < max_opened;
}

void WorkQueue::wait_for_room()
{
	std::unique_lock lock(mutex_);
	changed_.wait(lock, [this] { return closed_ || waiting() < max_opened; });
}

bool WorkQueue::wait_until_made(std::chrono::milliseconds timeout)
{
	std::unique_lock lock(mutex_);
	return changed_.wait_for(lock, timeout,
				 [this] { return closed_ || (jobs_.empty() && !opening_ && !waiting() && !making_); });
}

// Callers hold mutex_.
bool WorkQueue::has_work() const
{
	return !jobs_.empty() || (waiting() && !draining_);
}

// Callers hold mutex_, and there is work.
Work WorkQueue::next()
{
	const bool open_first = draining_ || waiting() < max_opened;
	if (open_first && !jobs_.empty()) {
		Work work(std::move(jobs_.front()));
		jobs_.pop_front();
		opening_++;
		return work;
	}
	auto& tables = missed_.empty() ? opened_ : missed_;
	Work work(std::move(tables.front()));
	tables.pop_front();
	making_++;
	return work;
}

std::optional<Work> WorkQueue::take()
{
	std::unique_lock lock(mutex_);
	changed_.wait(lock, [this] { return closed_ || has_work(); });
	if (closed_)
		return std::nullopt;
	auto work = next();
	changed_.notify_all();
	return work;
}

void WorkQueue::done(Kind kind)
{
	std::lock_guard lock(mutex_);
	(kind == Kind::open ? opening_ : making_)--;
	changed_.notify_all();
}

bool WorkQueue::drain(std::chrono::milliseconds timeout)
{
	std::unique_lock lock(mutex_);
	draining_ = true;
	return changed_.wait_for(lock, timeout, [this] { return jobs_.empty() && !opening_; });
}

void WorkQueue::close()
{
	std::lock_guard lock(mutex_);
	closed_ = true;
	changed_.notify_all();
}

} // namespace uwind
