// SPDX-License-Identifier: GPL-2.0
// Events and the stacks that they share, in whichever order they arrive.
#include <algorithm>
#include <catch2/catch.hpp>

#include "app/event_join.h"

using namespace uwind;

namespace {

EventRecord event(std::uint64_t cookie, std::uint64_t time_ns = 0)
{
	EventRecord record;
	record.cookie = cookie;
	record.time_ns = time_ns;
	return record;
}

StackRecord answer(std::uint64_t cookie, std::uint32_t events)
{
	StackRecord record;
	record.cookie = cookie;
	record.events = events;
	return record;
}

struct Joined {
	std::uint64_t time_ns;
	std::optional<std::uint64_t> answer; // its cookie

	bool operator==(const Joined&) const = default;
};

struct JoinFixture {
	std::vector<Joined> joined;
	EventJoin join;

	explicit JoinFixture(std::size_t limit = EventJoin::usual_limit)
	    : join(
		      [this](const EventRecord& event, const StackRecord* answer) {
			      joined.push_back({event.time_ns, answer ? std::optional(answer->cookie) : std::nullopt});
		      },
		      limit)
	{
	}
};

} // namespace

TEST_CASE("an event without a cookie waits for nothing")
{
	JoinFixture f;
	f.join.add(event(0, 5));
	CHECK(f.joined == std::vector<Joined>{{5, {}}});
}

TEST_CASE("events get the stack that they share, before it, after it and on both sides of it")
{
	JoinFixture f;
	f.join.add(event(1, 10));
	f.join.add(event(1, 11));
	CHECK(f.joined.empty());
	f.join.add(answer(1, 3));
	f.join.add(event(1, 12));
	CHECK(f.joined == std::vector<Joined>{{10, 1}, {11, 1}, {12, 1}});
	f.join.add(event(1, 13)); // one too many: its stack is not kept any more
	f.join.finish();
	CHECK(f.joined.back() == Joined{13, {}});
}

TEST_CASE("what still waits at the end is done without a stack, once")
{
	JoinFixture f;
	f.join.add(event(1, 1));
	f.join.add(answer(2, 2));
	f.join.finish();
	f.join.finish();
	CHECK(f.joined == std::vector<Joined>{{1, {}}});
}

TEST_CASE("only so many events wait, and the oldest give way without their stack")
{
	JoinFixture f(2);
	for (std::uint64_t i = 1; i <= 3; i++)
		f.join.add(event(i, i));
	CHECK(f.joined == std::vector<Joined>{{1, {}}});
	CHECK(f.join.too_many() == 1);
	f.join.add(answer(2, 1));
	CHECK(f.joined.back() == Joined{2, 2});
	f.join.add(answer(3, 1));
	CHECK(f.joined.back() == Joined{3, 3});
}

TEST_CASE("answers whose events were lost make room, and so do events whose answer was lost")
{
	JoinFixture f(4);
	for (std::uint64_t i = 100; i < 200; i++) {
		f.join.add(answer(i, 1));
		f.join.add(event(i + 1000, i));
	}
	f.join.add(answer(1, 2));
	f.join.add(event(1, 1));
	f.join.add(event(1, 2));
	CHECK(std::count(f.joined.begin(), f.joined.end(), Joined{1, 1}) == 1);
	CHECK(f.joined.back() == Joined{2, 1});
}
