// SPDX-License-Identifier: GPL-2.0
// What is done beside a command, and how both end.
#include <catch2/catch.hpp>

#include <cerrno>
#include <thread>

#include "io/run_beside.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

struct Beside {
	std::optional<Child> child;
	Result<StopSignals> signals = StopSignals::catch_them();
	int steps = 0;
	int fails_at = 0; // a step; 0: none does

	explicit Beside(const std::vector<std::string>& command = {})
	{
		REQUIRE(signals);
		if (command.empty())
			return;
		auto prepared = Child::prepare(*find_program(command.front()), command);
		REQUIRE(prepared);
		child.emplace(std::move(*prepared));
	}

	Result<int> run(double duration_s = 0)
	{
		return run_beside(child, *signals, duration_s, [this](milliseconds time) {
			if (++steps == fails_at)
				return Status(Error{EIO, "broken"});
			std::this_thread::sleep_for(time);
			return Status(Nothing{});
		});
	}
};

} // namespace

TEST_CASE("a command that ends by itself ends what is beside it, and its exit status is the one of both")
{
	Beside beside({"sh", "-c", "exit 3"});
	CHECK(*beside.run() == 3);
	Beside killed({"sh", "-c", "kill -9 $$"});
	CHECK(*killed.run(60) == 128 + 9);
}

TEST_CASE("a command that the time ends has no status of its own, and what is beside it goes on until then")
{
	Beside beside({"sleep", "600"});
	CHECK(*beside.run(0.25) == 0);
	CHECK(beside.steps >= 3);
	CHECK(*beside.child->ended() == 128 + 15);
}

TEST_CASE("a command that does not end when it is asked to is killed")
{
	Beside beside({"sh", "-c", "trap '' TERM; while :; do sleep 1; done"});
	CHECK(*beside.run(2) == 0); // a busy machine's shell takes a while to get there
	CHECK(*beside.child->ended() == 128 + 9);
}

TEST_CASE("without a command the time ends it")
{
	Beside beside;
	CHECK(*beside.run(0.15) == 0);
	CHECK(beside.steps == 2);
}

TEST_CASE("an error of what is beside a command is returned, and the command does not outlive it")
{
	Beside beside({"sleep", "600"});
	beside.fails_at = 1;
	const auto exit_code = beside.run();
	REQUIRE_FALSE(exit_code);
	CHECK(exit_code.error().message == "broken");
	CHECK(beside.child->ended() == 128 + 15);
}

TEST_CASE("a command is killed also if what is beside it fails while it is asked to end")
{
	Beside beside({"sh", "-c", "trap '' TERM; while :; do sleep 1; done"});
	beside.fails_at = 6; // the first three are the duration's
	const auto exit_code = beside.run(0.25);
	REQUIRE_FALSE(exit_code);
	CHECK(exit_code.error().message == "broken");
	CHECK(beside.child->ended() == 128 + 9);
}
