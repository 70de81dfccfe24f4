// SPDX-License-Identifier: GPL-2.0
// The queue between two threads: whom it wakes.
#include <catch2/catch.hpp>

#include <thread>

#include "base/queue.h"

using namespace uwind;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// How long a consumer that has so much time waits for the first of what is pushed meanwhile.
milliseconds wait_for(BoundedQueue<int>& queue, milliseconds time, bool urgent, int items)
{
	const auto begun = steady_clock::now();
	std::thread producer([&] {
		std::this_thread::sleep_for(milliseconds(50));
		for (int i = 0; i < items; i++)
			queue.push(i, urgent);
	});
	const auto first = queue.pop(time);
	const auto waited = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun);
	producer.join();
	CHECK(first == 0);
	return waited;
}

} // namespace

TEST_CASE("a consumer wakes for what is urgent, and for much of what is not")
{
	BoundedQueue<int> queue(16);
	CHECK(wait_for(queue, milliseconds(20'000), true, 1) < milliseconds(10'000));
	CHECK(wait_for(queue, milliseconds(20'000), false, 4) < milliseconds(10'000));
	CHECK(queue.pop(milliseconds(20'000)) == 1); // it is there already
}

TEST_CASE("a consumer has little of what is not urgent when its time is up")
{
	BoundedQueue<int> queue(16);
	CHECK(wait_for(queue, milliseconds(400), false, 3) >= milliseconds(400));
}
