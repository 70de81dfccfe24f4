// SPDX-License-Identifier: GPL-2.0
// The service's own keeping of tables.
#include "app/background_keeper.h"

#include <spdlog/spdlog.h>

namespace uwind {

BackgroundKeeper::BackgroundKeeper(Threads& threads, Clock& clock, std::chrono::milliseconds period)
    : threads_(threads), clock_(clock), period_(period)
{
}

BackgroundKeeper::~BackgroundKeeper()
{
	stop();
	if (thread_.joinable())
		thread_.join();
}

void BackgroundKeeper::begin(MakePass make_pass)
{
	std::lock_guard lock(mutex_);
	make_pass_ = std::move(make_pass);
	again_ = true;
	kept_ = 0;
	if (pass_)
		pass_->stop();
	if (make_pass_ && !thread_.joinable())
		thread_ = std::thread([this] { run(); });
	changed_.notify_all();
}

void BackgroundKeeper::hold(bool on_hold)
{
	std::lock_guard lock(mutex_);
	if (on_hold_ == on_hold)
		return;
	on_hold_ = on_hold;
	if (pass_)
		pass_->hold(on_hold);
}

bool BackgroundKeeper::take_ended()
{
	std::lock_guard lock(mutex_);
	return std::exchange(ended_, false);
}

// On a busy machine the thread might not run for long, and its end is waited for.
void BackgroundKeeper::stop()
{
	std::lock_guard lock(mutex_);
	stopped_ = true;
	if (pass_)
		pass_->stop();
	if (number_)
		threads_.let_run(number_);
	changed_.notify_all();
}

std::uint64_t BackgroundKeeper::kept() const
{
	std::lock_guard lock(mutex_);
	if (!pass_ || again_)
		return kept_;
	const KeepCounts counts = pass_->counts();
	return kept_ + counts.made + counts.before;
}

void BackgroundKeeper::run()
{
	const int number = threads_.make_this_one_wait();
	std::unique_lock lock(mutex_);
	number_ = number;
	if (stopped_)
		threads_.let_run(number);
	while (wait_for_pass(lock))
		perform(lock);
	number_ = 0;
}

// False: it is stopped.
bool BackgroundKeeper::wait_for_pass(std::unique_lock<std::mutex>& lock)
{
	bool due = false;
	while (!stopped_ && !(make_pass_ && (again_ || due)))
		due = !changed_.wait_for(lock, period_, [this] { return stopped_ || (make_pass_ && again_); });
	return !stopped_;
}

// Files that change in this very second are looked at again in the next pass.
void BackgroundKeeper::perform(std::unique_lock<std::mutex>& lock)
{
	const MakePass make_pass = make_pass_;
	const bool all = std::exchange(again_, false);
	const std::int64_t changed_since_s = all ? 0 : last_s_;
	last_s_ = clock_.seconds_since_1970() - 1;
	lock.unlock();
	auto pass = make_pass(changed_since_s);
	lock.lock();
	if (!pass) {
		spdlog::warn("no tables are kept ahead: {}", pass.error().message);
		if (!again_)
			make_pass_ = nullptr;
		return;
	}
	pass_ = std::move(*pass);
	pass_->hold(on_hold_);
	if (stopped_ || again_)
		pass_->stop();
	lock.unlock();
	pass_->work();
	lock.lock();
	finish(all);
}

// Callers hold mutex_.
void BackgroundKeeper::finish(bool all)
{
	const KeepCounts counts = pass_->counts();
	pass_.reset();
	ended_ = true;
	if (again_)
		return;
	kept_ += counts.made + counts.before;
	if (counts.full)
		spdlog::warn("tables kept ahead: {}: {}", in_words(counts), counts.full->message);
	else if (all || counts.files)
		spdlog::info("tables kept ahead: {}", in_words(counts));
}

} // namespace uwind
