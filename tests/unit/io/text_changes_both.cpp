// SPDX-License-Identifier: GPL-2.0
// Two sources of changes of the kernel's text as one: the order of time, and what becomes of errors.
#include <catch2/catch.hpp>

#include <cerrno>
#include <ctime>
#include <deque>
#include <thread>

#include "io/text_changes_both.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t ns_of_ms = 1'000'000;

std::uint64_t now_ns()
{
	timespec now{};
	::clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

TextEvent change_at(std::uint64_t time_ns, std::uint64_t address)
{
	TextChange change;
	change.from_ns = change.until_ns = time_ns;
	change.address = address;
	return change;
}

// Each read() gives the next of its batches, or waits.
struct Source : TextChanges {
	std::deque<std::vector<TextEvent>> batches;
	Status starts = Nothing{}, reads = Nothing{};
	int running = 0;

	Status start() override
	{
		running += bool(starts);
		return starts;
	}
	Result<std::vector<TextEvent>> read(milliseconds timeout) override
	{
		if (!reads)
			return reads.error();
		if (batches.empty()) {
			std::this_thread::sleep_for(timeout);
			return std::vector<TextEvent>();
		}
		auto events = std::move(batches.front());
		batches.pop_front();
		return events;
	}
	void interrupt() override { batches.push_front({change_at(1, 0x111)}); }
	void stop() override { running--; }
};

struct Sources {
	std::unique_ptr<Source> made_first = std::make_unique<Source>(), made_second = std::make_unique<Source>();
	Source &first = *made_first, &second = *made_second;
	TextChangesBoth both{std::move(made_first), std::move(made_second)};

	std::vector<std::uint64_t> read(milliseconds timeout)
	{
		const auto events = both.read(timeout);
		REQUIRE(events);
		std::vector<std::uint64_t> addresses;
		for (const TextEvent& event : *events)
			addresses.push_back(std::get<TextChange>(event).address);
		return addresses;
	}
};

using Addresses = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("changes of two sources come in the order of time, those of one moment in that of the sources")
{
	Sources sources;
	sources.first.batches = {{change_at(10, 0x1), change_at(30, 0x3)}};
	sources.second.batches = {{change_at(20, 0x2), change_at(30, 0x4)}};
	CHECK(sources.read(milliseconds(0)) == Addresses{0x1, 0x2, 0x3, 0x4});
	CHECK(sources.read(milliseconds(0)).empty());
}

TEST_CASE("a change that is later than what the other source may still tell is held until that has been asked")
{
	Sources sources;
	const std::uint64_t soon = now_ns() + 50 * ns_of_ms;
	sources.first.batches = {{change_at(soon, 0x2)}};
	CHECK(sources.read(milliseconds(0)).empty());
	sources.second.batches = {{change_at(soon - 1, 0x1)}};
	CHECK(sources.read(milliseconds(0)).empty());
	CHECK(sources.read(milliseconds(1000)) == Addresses{0x1, 0x2});
	CHECK(now_ns() > soon);
}

TEST_CASE("the second source is asked while the first one has nothing to tell")
{
	Sources sources;
	sources.second.batches = {{}, {}, {change_at(10, 0x5)}};
	CHECK(sources.read(milliseconds(1000)) == Addresses{0x5});
}

TEST_CASE("where the second source cannot start the first one stops again")
{
	Sources sources;
	sources.second.starts = Error{EBUSY, "in use"};
	const auto started = sources.both.start();
	REQUIRE_FALSE(started);
	CHECK(started.error().code == EBUSY);
	CHECK(sources.first.running == 0);
}

TEST_CASE("where the first source cannot start the second one is left alone")
{
	Sources sources;
	sources.first.starts = Error{EPERM, "not allowed"};
	CHECK_FALSE(sources.both.start());
	CHECK(sources.second.running == 0);
}

TEST_CASE("an error of either source is that of both, and both stop")
{
	Sources sources;
	REQUIRE(sources.both.start());
	(GENERATE(true, false) ? sources.first : sources.second).reads = Error{EIO, "broken"};
	const auto events = sources.both.read(milliseconds(0));
	REQUIRE_FALSE(events);
	CHECK(events.error().message == "broken");
	sources.both.stop();
	CHECK(sources.first.running == 0);
	CHECK(sources.second.running == 0);
}

TEST_CASE("an interruption reaches the source that is waited for")
{
	Sources sources;
	sources.both.interrupt();
	CHECK(sources.read(milliseconds(1000)) == Addresses{0x111});
}
