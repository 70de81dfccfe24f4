// SPDX-License-Identifier: GPL-2.0
// Four threads at once, each for a while, then new ones; exceptions are thrown through their frames.
#include <stdexcept>
#include <thread>
#include <vector>

#include "work.h"

namespace {

__attribute__((noinline)) uint64_t thrower(unsigned depth)
{
	if (depth == 0)
		throw std::runtime_error("end of recursion");
	return thrower(depth - 1) + work_mix(depth, 10);
}

__attribute__((noinline)) void thread_work(unsigned number)
{
	const double end = work_clock(CLOCK_THREAD_CPUTIME_ID) + 1;
	WORK_UNTIL(CLOCK_THREAD_CPUTIME_ID, end) {
		work_sink = work_sink + work_recurse(10 + number, number);
		try {
			work_sink = work_sink + thrower(6);
		} catch (const std::runtime_error&) {
			work_sink = work_sink + work_sort(number);
		}
	}
}

} // namespace

int main(int argc, char** argv)
{
	const double end = work_clock(CLOCK_BOOTTIME) + work_seconds(argc, argv);
	while (work_clock(CLOCK_BOOTTIME) < end) {
		std::vector<std::thread> threads;
		for (unsigned i = 0; i < 4; i++)
			threads.emplace_back(thread_work, i);
		for (auto& thread : threads)
			thread.join();
	}
}
