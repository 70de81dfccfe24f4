// SPDX-License-Identifier: GPL-2.0
// The order of work, its limits, and how waiting for it ends.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "app/work_queue.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

FileJob job(std::uint32_t number)
{
	FileJob job;
	job.file_number = number;
	return job;
}

OpenedModule opened(ModuleId id)
{
	OpenedModule opened;
	opened.id = id;
	return opened;
}

// "file 3" or "table 3"; "": the queue is closed. Not done with it yet.
std::string begun(WorkQueue& queue)
{
	const auto work = queue.take();
	if (!work)
		return "";
	if (const auto* job = std::get_if<FileJob>(&*work))
		return "file " + std::to_string(job->file_number);
	return "table " + std::to_string(std::get<OpenedModule>(*work).id);
}

// The same, and done with it.
std::string taken(WorkQueue& queue)
{
	std::string what = begun(queue);
	if (!what.empty())
		queue.done(what.starts_with("file") ? WorkQueue::Kind::open : WorkQueue::Kind::make);
	return what;
}

// A thread that calls take() and lets wait() see what came of it.
class Taker {
public:
	explicit Taker(WorkQueue& queue) : thread_([this, &queue] { result_ = taken(queue), done_ = true; }) {}

	bool waits_for(milliseconds time) const
	{
		std::this_thread::sleep_for(time);
		return !done_;
	}
	std::string result()
	{
		thread_.join();
		return result_;
	}

private:
	std::string result_;
	std::atomic<bool> done_ = false;
	std::thread thread_; // last: it uses the others
};

} // namespace

TEST_CASE("files are opened in the order in which they came, and before any table is made")
{
	WorkQueue queue;
	queue.push(opened(1));
	queue.push(opened(2));
	REQUIRE(queue.push(job(3)));
	REQUIRE(queue.push(job(4)));
	for (const char* expected : {"file 3", "file 4", "table 1", "table 2"})
		CHECK(taken(queue) == expected);
}

TEST_CASE("a table is made before the next file is opened while 128 files are open")
{
	WorkQueue queue;
	REQUIRE(queue.push(job(1)));
	for (ModuleId id = 0; id < WorkQueue::max_opened; id++) {
		CHECK(queue.has_room());
		queue.push(opened(id));
	}
	CHECK_FALSE(queue.has_room());
	CHECK(taken(queue) == "table 0");
	CHECK(queue.has_room());
	CHECK(taken(queue) == "file 1");
}

TEST_CASE("4096 files wait to be opened, further ones are dropped")
{
	WorkQueue queue;
	for (std::uint32_t number = 0; number < WorkQueue::max_jobs; number++)
		REQUIRE(queue.push(job(number)));
	CHECK_FALSE(queue.push(job(9999)));
	CHECK(taken(queue) == "file 0");
	CHECK(queue.push(job(9999)));
}

TEST_CASE("taking waits until there is work")
{
	WorkQueue queue;
	Taker taker(queue);
	CHECK(taker.waits_for(milliseconds(20)));
	REQUIRE(queue.push(job(1)));
	CHECK(taker.result() == "file 1");
}

TEST_CASE("closing ends a take that waits")
{
	WorkQueue queue;
	Taker taker(queue);
	CHECK(taker.waits_for(milliseconds(20)));
	queue.close();
	CHECK(taker.result().empty());
}

TEST_CASE("a closed queue gives nothing, whatever is left in it")
{
	WorkQueue queue;
	REQUIRE(queue.push(job(1)));
	queue.push(opened(2));
	queue.close();
	CHECK(taken(queue).empty());
}

TEST_CASE("draining an idle queue ends at once")
{
	WorkQueue queue;
	CHECK(queue.drain(milliseconds(0)));
}

TEST_CASE("draining gives up when its time is over")
{
	WorkQueue queue;
	REQUIRE(queue.push(job(1)));
	const auto begun = std::chrono::steady_clock::now();
	CHECK_FALSE(queue.drain(milliseconds(20)));
	CHECK(std::chrono::steady_clock::now() - begun >= milliseconds(20));
}

TEST_CASE("draining waits until the last file taken is open")
{
	WorkQueue queue;
	REQUIRE(queue.push(job(1)));
	REQUIRE(queue.push(job(2)));
	CHECK(begun(queue) == "file 1");
	CHECK(taken(queue) == "file 2");
	CHECK_FALSE(queue.drain(milliseconds(20)));
	queue.done(WorkQueue::Kind::open);
	CHECK(queue.drain(milliseconds(5000)));
}

TEST_CASE("tables that were missed are made first, also those that were missed while they waited")
{
	WorkQueue queue;
	for (ModuleId id = 1; id <= 3; id++)
		queue.push(opened(id));
	OpenedModule missed = opened(4);
	missed.missed = true;
	queue.push(std::move(missed));
	queue.miss(3);
	queue.miss(3);
	queue.miss(99);
	for (const char* expected : {"table 4", "table 3", "table 1", "table 2"})
		CHECK(taken(queue) == expected);
}

TEST_CASE("waiting for tables ends when the last one is made")
{
	WorkQueue queue;
	CHECK(queue.wait_until_made(milliseconds(0)));
	queue.push(opened(1));
	queue.push(opened(2));
	CHECK(begun(queue) == "table 1");
	CHECK(taken(queue) == "table 2");
	CHECK_FALSE(queue.wait_until_made(milliseconds(20)));
	queue.done(WorkQueue::Kind::make);
	CHECK(queue.wait_until_made(milliseconds(5000)));
}

TEST_CASE("who waits for room goes on when a table is taken")
{
	WorkQueue queue;
	for (ModuleId id = 0; id < WorkQueue::max_opened; id++)
		queue.push(opened(id));
	std::atomic<bool> has_room = false;
	std::thread waiting([&] { queue.wait_for_room(), has_room = true; });
	std::this_thread::sleep_for(milliseconds(20));
	CHECK_FALSE(has_room);
	CHECK(taken(queue) == "table 0");
	waiting.join();
	CHECK(has_room);
}

TEST_CASE("a queue that is drained hands out files, however many are open, and no tables")
{
	WorkQueue queue;
	for (ModuleId id = 0; id < WorkQueue::max_opened; id++)
		queue.push(opened(id));
	REQUIRE(queue.push(job(1)));
	CHECK_FALSE(queue.drain(milliseconds(0)));
	CHECK(taken(queue) == "file 1");
	Taker taker(queue);
	CHECK(taker.waits_for(milliseconds(20)));
	queue.close();
	CHECK(taker.result().empty());
}
