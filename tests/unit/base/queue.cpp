// SPDX-License-Identifier: GPL-2.0
// The queue between two threads: whom it wakes.
#include <catch2/catch.hpp>

#include <atomic>
#include <fstream>
#include <thread>
#include <unistd.h>

#include "base/queue.h"

using namespace uwind;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// A thread that pops. It waits when the constructor returns, unless its time is over already.
class Consumer {
public:
	Consumer(BoundedQueue<int>& queue, milliseconds time)
	    : begun_(steady_clock::now()), thread_([this, &queue, time] {
		      tid_ = ::gettid();
		      first_ = queue.pop(time);
		      waited_ = steady_clock::now() - begun_;
		      done_ = true;
	      })
	{
		while (!done_ && !sleeps())
			std::this_thread::yield();
	}
	~Consumer() { thread_.join(); }

	bool waits_for(milliseconds time) const
	{
		std::this_thread::sleep_for(time);
		return !done_;
	}
	std::optional<int> first()
	{
		while (!done_)
			std::this_thread::sleep_for(1ms);
		return first_;
	}
	// Until first().
	steady_clock::duration waited() const { return waited_; }

private:
	// Before it pops, nothing makes it wait.
	bool sleeps() const
	{
		std::ifstream stat("/proc/self/task/" + std::to_string(tid_) + "/stat");
		const std::string text(std::istreambuf_iterator<char>(stat), {});
		return tid_ && text.substr(text.find(')') + 1, 3) == " S ";
	}

	const steady_clock::time_point begun_;
	std::atomic<pid_t> tid_ = 0;
	std::optional<int> first_;
	steady_clock::duration waited_{};
	std::atomic<bool> done_ = false;
	std::thread thread_; // last: it uses the others
};

} // namespace

TEST_CASE("a consumer wakes for what is urgent, and for much of what is not")
{
	BoundedQueue<int> queue(16);
	const bool urgent = GENERATE(true, false);
	Consumer consumer(queue, 10min);
	for (int i = 0; i < (urgent ? 1 : 4); i++)
		queue.push(i, urgent);
	CHECK(consumer.first() == 0);
	CHECK(consumer.waited() < 5min);
}

TEST_CASE("a consumer takes at once what is there already")
{
	BoundedQueue<int> queue(16);
	queue.push(1, false);
	const auto begun = steady_clock::now();
	CHECK(queue.pop(10min) == 1);
	CHECK(steady_clock::now() - begun < 5min);
}

TEST_CASE("a consumer does not wake for a little that is not urgent")
{
	BoundedQueue<int> queue(16);
	Consumer consumer(queue, 10min);
	for (int i = 0; i < 3; i++)
		queue.push(i, false);
	CHECK(consumer.waits_for(50ms));
	queue.push(3, true);
	CHECK(consumer.first() == 0);
}

TEST_CASE("but has it when its time is over")
{
	for (milliseconds time = 50ms;; time *= 2) { // this thread may need longer
		BoundedQueue<int> queue(16);
		Consumer consumer(queue, time);
		queue.push(1, false);
		const auto first = consumer.first();
		if (!first && time < 2min)
			continue;
		CHECK(first == 1);
		CHECK(consumer.waited() >= time);
		break;
	}
}
