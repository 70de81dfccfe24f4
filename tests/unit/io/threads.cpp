// SPDX-License-Identifier: GPL-2.0
// How threads are scheduled, and on how many processors.
#include <catch2/catch.hpp>

#include <future>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "io/threads.h"

using namespace uwind;

namespace {

// Without privilege, a limit says whether a thread may get back what it gave up.
bool may_let_run()
{
	rlimit limit{};
	return ::geteuid() == 0 || (!::getrlimit(RLIMIT_NICE, &limit) && limit.rlim_cur >= 20);
}

} // namespace

TEST_CASE("a thread that waits runs when no other wants to, until it is let run")
{
	SystemThreads threads;
	std::promise<int> number;
	std::promise<void> end;
	std::jthread thread([&] {
		number.set_value(threads.make_this_one_wait());
		end.get_future().wait();
	});
	const int waiting = number.get_future().get();
	CHECK(waiting != ::gettid());
	CHECK(::sched_getscheduler(waiting) == SCHED_IDLE);
	CHECK(::sched_getscheduler(0) == SCHED_OTHER);
	threads.let_run(waiting);
	if (may_let_run())
		CHECK(::sched_getscheduler(waiting) == SCHED_OTHER);
	end.set_value();
}

TEST_CASE("usable processors are those that the process may run on")
{
	CHECK(usable_processors() >= 1);
	std::jthread([] {
		cpu_set_t one;
		CPU_ZERO(&one);
		CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
		REQUIRE(::sched_setaffinity(0, sizeof(one), &one) == 0);
		CHECK(usable_processors() == 1);
	});
}
