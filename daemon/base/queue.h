// SPDX-License-Identifier: GPL-2.0
// A bounded queue between two threads. A full one makes the producer wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace uwind {

template <typename T>
class BoundedQueue {
public:
	explicit BoundedQueue(std::size_t limit) : limit_(limit) {}

	// Waits for room. False: the queue was closed, and the item is dropped. urgent: a consumer that waits is woken
	// for it; else only when a quarter of the room is used.
	bool push(T item, bool urgent = true)
	{
		std::unique_lock lock(mutex_);
		has_room_.wait(lock, [this] { return closed_ || items_.size() < limit_; });
		if (closed_)
			return false;
		items_.push_back(std::move(item));
		if (urgent || items_.size() >= limit_ / 4)
			has_items_.notify_one();
		return true;
	}

	// False: full or closed.
	bool try_push(T item)
	{
		std::lock_guard lock(mutex_);
		if (closed_ || items_.size() >= limit_)
			return false;
		items_.push_back(std::move(item));
		has_items_.notify_one();
		return true;
	}

	// Nothing: none came in time, or the queue is closed and empty.
	std::optional<T> pop(std::chrono::milliseconds timeout)
	{
		std::unique_lock lock(mutex_);
		has_items_.wait_for(lock, timeout, [this] { return closed_ || !items_.empty(); });
		if (items_.empty())
			return std::nullopt;
		std::optional<T> item(std::move(items_.front()));
		items_.pop_front();
		has_room_.notify_one();
		return item;
	}

	// Items in the queue can still be popped.
	void close()
	{
		std::lock_guard lock(mutex_);
		closed_ = true;
		has_items_.notify_all();
		has_room_.notify_all();
	}

	bool finished() const
	{
		std::lock_guard lock(mutex_);
		return closed_ && items_.empty();
	}

private:
	const std::size_t limit_;
	mutable std::mutex mutex_; // guards what follows
	std::condition_variable has_items_;
	std::condition_variable has_room_;
	std::deque<T> items_;
	bool closed_ = false;
};

} // namespace uwind
