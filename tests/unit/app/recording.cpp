// SPDX-License-Identifier: GPL-2.0
// A recording from its start to its reports, against fakes.
#include <catch2/catch.hpp>

#include "unit/app/recorded.h"

using namespace uwind;

namespace {

std::uint64_t sum(const std::map<std::string, std::uint64_t>& counts)
{
	std::uint64_t total = 0;
	for (const auto& [name, count] : counts)
		total += count;
	return total;
}

} // namespace

TEST_CASE("what leaves a part of the targets goes to the module and into the report")
{
	FakeMachine machine;
	RecordingOptions options = all_processes();
	options.session.excludes = {4, 5};
	options.session.cgroup = "system.slice";
	options.session.cpus = {0, 1, 3};
	options.session.max_frames = 10;
	Recording recording(machine.ports(), options);
	REQUIRE(recording.prepare(never));
	CHECK(machine.kernel.options_.excludes == options.session.excludes);
	CHECK(machine.kernel.options_.cgroup == "system.slice");
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(report->session.target == "all");
	CHECK(report->session.cgroup == "system.slice");
	CHECK(report->session.cpus == "0-1,3");
	CHECK(report->session.excluded == std::vector<std::uint32_t>{4, 5});
	CHECK(report->session.max_depth == 10);
}

TEST_CASE("a report says where the module counts in user mode only, asked or not")
{
	const bool asked = GENERATE(false, true), granted = GENERATE(false, true);
	FakeMachine machine;
	machine.kernel.grants_user_only = granted;
	RecordingOptions options = all_processes();
	options.session.user_only = asked;
	Recording recording(machine.ports(), options);
	REQUIRE(recording.prepare(never));
	CHECK(recording.user_only() == (asked || granted));
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(report->session.user_only == (asked || granted));
}

TEST_CASE("every report says: requested = answered + lost + pending")
{
	FakeMachine machine;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	REQUIRE(recording.enable());
	auto& stats = machine.kernel.stats_;
	stats.requested = 100, stats.answered = 80, stats.pending = 15;
	stats.lost[Loss::EXEC] = 5;
	stats.stops[Stop::OUTERMOST] = 80;
	const auto first = recording.interval();
	stats.requested = 150, stats.answered = 140, stats.pending = 2;
	stats.lost[Loss::EXEC] = 6, stats.lost[Loss::DROPPED] = 2;
	stats.stops[Stop::OUTERMOST] = 130, stats.stops[Stop::NO_TABLE] = 10;
	const auto last = recording.finish();
	REQUIRE(first);
	REQUIRE(last);
	for (const auto& counters : {first->counters, last->counters})
		CHECK(counters.requested == counters.answered + sum(counters.lost) + counters.pending);
	CHECK(first->counters.requested == 100);
	CHECK(last->counters.requested == 65); // 50 new ones and 15 from before
	CHECK(last->counters.answered == 60);
	CHECK(last->counters.lost.at("exec") == 1);
	CHECK(last->counters.stops.at("outermost") == 50);
	CHECK(last->counters.stops.at("no_table") == 10);
}

TEST_CASE("a report says what was sent since the last one, and how often counters failed to sample")
{
	FakeMachine machine;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	REQUIRE(recording.enable());
	auto& stats = machine.kernel.stats_;
	stats.bytes = 1000, stats.stacks_told = 3, stats.stacks_known = 20;
	stats.periods_missed = 7, stats.throttled = 2, stats.counters_failed = 1;
	const auto first = recording.interval();
	stats.bytes = 1500, stats.stacks_told = 4, stats.stacks_known = 70;
	stats.periods_missed = 9, stats.throttled = 5;
	const auto last = recording.finish();
	REQUIRE(first);
	REQUIRE(last);
	CHECK(other(*first, "message_bytes") == 1000);
	CHECK(other(*last, "message_bytes") == 500);
	CHECK(other(*last, "stacks_told") == 1);
	CHECK(other(*last, "stacks_known") == 50);
	CHECK(other(*first, "counters_failed") == 1);
	CHECK(other(*last, "counters_failed") == 0);
	CHECK(other(*last, "periods_missed") == 2);
	CHECK(other(*last, "throttled") == 3);
}

TEST_CASE("a hole in the sequence counts as missing messages")
{
	FakeMachine machine;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	machine.send({});
	machine.sequence = 4;
	machine.send({});
	machine.send({});
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "messages_missing") == 3);
}

TEST_CASE("what belongs to another session is left out, what is malformed is counted")
{
	FakeMachine machine;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	RecordBatch stray;
	stray.session = FakeKernel::session + 1;
	stray.records = {stack_record(1, {})};
	stray.malformed = 2;
	machine.stream.send(stray);
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(report->samples.empty());
	CHECK(other(*report, "decode_errors") == 2);
}

TEST_CASE("what arrives before the end of a session is in its last report")
{
	FakeMachine machine;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	for (int i = 0; i < 5000; i++) // more than the queue holds
		machine.send({stack_record(1, {frame(0x10, 0, 0, Method::PC)})});
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(report->samples.size() == 5000);
	CHECK(report->stacks.size() == 1);
}

TEST_CASE("an interval's report holds what arrived in it, and keeps the files known from before")
{
	FakeMachine machine;
	auto& file = machine.files.add("/bin/a");
	file.symbols = {{0x400000, 0x100, Binding::global, "f"}};
	const auto mapping = machine.processes.map(1, "/bin/a", 0x1000000);
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	machine.send(
		{file_record(1, 1, mapping, file.identity), stack_record(1, {frame(0x1000010, 0x10, 1, Method::PC)})});
	Result<Report> first = recording.interval();
	run_until(recording, [&] {
		if (first && first->samples.empty())
			first = recording.interval();
		return !first || !first->samples.empty();
	});
	machine.send({stack_record(1, {frame(0x1000020, 0x20, 1, Method::PC)})});
	const auto last = recording.finish();
	REQUIRE(first);
	REQUIRE(last);
	REQUIRE(first->samples.size() == 1);
	REQUIRE(last->samples.size() == 1);
	CHECK(last->frames.at(0).symbol == "f");
	CHECK(last->frames.at(0).symbol_offset == 0x20);
	CHECK(last->frames.at(0).offset == 0x400020);
}
