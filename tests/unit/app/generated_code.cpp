// SPDX-License-Identifier: GPL-2.0
// Names of generated code in the reports of a recording.
#include <catch2/catch.hpp>

#include "unit/app/recorded.h"
#include "unit/logged.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t start_ns = 12'345'678'901;

// A recording of processes 7 and 8, which generate code.
struct Generating {
	FakeMachine machine;
	std::unique_ptr<Recording> recording;

	Generating()
	{
		for (const std::uint32_t pid : {7u, 8u}) {
			ProcessFacts facts;
			facts.start_time_ns = start_ns - start_ns % start_tick_ns;
			machine.processes.facts_[pid] = facts;
			machine.generated_code.files[pid] = {};
		}
	}

	void begin()
	{
		recording = std::make_unique<Recording>(machine.ports(), all_processes());
		REQUIRE(recording->prepare(never));
		REQUIRE(recording->enable());
	}

	static StackRecord sample(std::uint32_t pid, std::uint64_t time_ns, std::vector<StackFrame> frames)
	{
		StackRecord record = stack_record(pid, std::move(frames));
		record.start_time_ns = start_ns;
		record.time_ns = time_ns;
		return record;
	}

	static StackFrame at(std::uint64_t pc, Method method = Method::PC) { return frame(pc, pc, 0, method); }

	void send(std::vector<Record> records)
	{
		machine.send(std::move(records));
		machine.stream.wait_until_received();
		REQUIRE(recording->run_for(milliseconds(10)));
	}

	Report finish()
	{
		auto report = recording->finish();
		REQUIRE(report);
		return std::move(*report);
	}
};

// Of the innermost frame of each sample, in order; "": none.
std::vector<std::string> names_of(const Report& report)
{
	std::vector<std::string> names;
	for (const ReportSample& sample : report.samples) {
		REQUIRE(sample.user_stack);
		names.push_back(
			report.frames.at(report.stacks.at(*sample.user_stack).frames.front()).symbol.value_or(""));
	}
	return names;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("frames in generated code are called as the perf map says, which is written as late as at the exit")
{
	Generating tested;
	tested.begin();
	tested.send({tested.sample(7, 100,
				   {tested.at(0x5004), tested.at(0x6010, Method::FP), tested.at(0x9000, Method::FP)})});
	tested.machine.generated_code.files[7].map = "5000 10 inner\n6000 10 outer\n6010 10 after the call\n";
	tested.machine.generated_code.files[7].ended = true;
	const Report report = tested.finish();
	REQUIRE(report.frames.size() == 3);
	CHECK(report.frames[0].symbol == "inner");
	CHECK(report.frames[0].symbol_offset == 4);
	CHECK(report.frames[1].symbol == "outer");
	CHECK(report.frames[1].symbol_offset == 0x10);
	CHECK_FALSE(report.frames[2].symbol);
	CHECK_FALSE(report.frames[2].module);
	REQUIRE(report.modules.size() == 1);
	CHECK(report.modules[0].path == "/tmp/perf-7.map");
	CHECK(report.frames[0].module == Index{0});
	CHECK(report.frames[0].offset == 0x5004);
	CHECK(other(report, "code_notes_read") == 1);
	CHECK(other(report, "code_notes_bad") == 0);
}

TEST_CASE("the last entry of a perf map that covers an address is right")
{
	Generating tested;
	tested.begin();
	tested.machine.generated_code.files[7].map = "5000 100 old\n5010 10 new\n";
	tested.send({tested.sample(7, 100, {tested.at(0x5004)}), tested.sample(7, 101, {tested.at(0x5014)})});
	CHECK(names_of(tested.finish()) == Names{"old", "new"});
}

TEST_CASE("one address in two processes is two frames, and so are stacks; without a map it has no name")
{
	Generating tested;
	tested.begin();
	tested.machine.generated_code.files[7].map = "5000 10 seven\n";
	const bool both = GENERATE(false, true);
	if (both)
		tested.machine.generated_code.files[8].map = "5000 10 eight\n";
	tested.send({tested.sample(8, 100, {tested.at(0x5004)}), tested.sample(7, 101, {tested.at(0x5004)}),
		     tested.sample(8, 102, {tested.at(0x5004)})});
	const Report report = tested.finish();
	const std::string eight = both ? "eight" : "";
	CHECK(names_of(report) == Names{eight, "seven", eight});
	CHECK(report.frames.size() == 2);
	CHECK(report.stacks.size() == 2);
}

TEST_CASE("a jitdump's code is named as it was at the sample's time")
{
	Generating tested;
	tested.machine.generated_code.now = {5000, 1000, 0}; // the machine has slept for 4000 ns
	tested.begin();
	tested.machine.generated_code.files[7].dump = JitdumpBytes()
							      .load(100, 0x5000, 0x10, "first", 1)
							      .load(200, 0x5000, 0x10, "second", 2)
							      .move(300, 0x5000, 0x8000, 0x10, 2);
	tested.machine.generated_code.files[7].map = "5000 10 of the map\n";
	tested.send({tested.sample(7, 4099, {tested.at(0x5004)}), tested.sample(7, 4100, {tested.at(0x5004)}),
		     tested.sample(7, 4250, {tested.at(0x5004)}), tested.sample(7, 4400, {tested.at(0x8004)}),
		     tested.sample(7, 4150, {tested.at(0x5004)}), tested.sample(7, 4299, {tested.at(0x8004)})});
	const Report report = tested.finish();
	CHECK(names_of(report) == Names{"of the map", "first", "second", "second", "first", ""});
	CHECK(report.stacks.size() == 5);
}

TEST_CASE("a jitdump by the processor's clock is put into the time of samples")
{
	Generating tested;
	tested.machine.generated_code.now = {1'000'000, 0, 7'000'000};
	tested.begin();
	tested.machine.generated_code.files[7].dump =
		JitdumpBytes(1).load(7'300'000, 0x5000, 0x10, "first").load(7'600'000, 0x5000, 0x10, "second");
	tested.send({tested.sample(7, 1'050'000, {tested.at(0x5004)}), tested.sample(7, 1'110'000, {tested.at(0x5004)}),
		     tested.sample(7, 1'210'000, {tested.at(0x5004)})});
	tested.machine.generated_code.now = {2'000'000, 0, 10'000'000}; // three cycles each nanosecond
	CHECK(names_of(tested.finish()) == Names{"", "first", "second"});
}

TEST_CASE("a jitdump's lines are the frame's source: of a caller, that of the call")
{
	Generating tested;
	tested.begin();
	tested.machine.generated_code.files[7].dump =
		JitdumpBytes().lines(0x5000, {{0x5000, 3, "a.js"}, {0x5008, 4, "\xff"}}).load(0, 0x5000, 0x20, "f");
	tested.send({tested.sample(7, 1, {tested.at(0x5008), tested.at(0x5008, Method::FP)})});
	const Report report = tested.finish();
	REQUIRE(report.frames.size() == 2);
	CHECK(report.frames[0].source == ReportSource{"a.js", 4});
	CHECK(report.frames[1].source == ReportSource{"a.js", 3});
}

TEST_CASE("a program that a process executes has code of its own")
{
	Generating tested;
	tested.begin();
	tested.machine.generated_code.files[7].dump = JitdumpBytes().load(0, 0x5000, 0x10, "old");
	StackRecord before = tested.sample(7, 100, {tested.at(0x5004)});
	tested.send({before});
	const FakeGeneratedCode::Files old = tested.machine.generated_code.files[7];
	StackRecord after = tested.sample(7, 200, {tested.at(0x5004)});
	after.exec_id = before.exec_id + 1;
	tested.send({after});
	CHECK(tested.machine.generated_code.asked == 2);
	CHECK(names_of(tested.finish()) == Names{"old", "old"});
}

TEST_CASE("a process that has ended before its first stack was taken is missed, and counted once")
{
	Generating tested;
	tested.begin();
	const bool reused = GENERATE(false, true);
	tested.machine.generated_code.files[7].map = "5000 10 f\n";
	if (reused)
		tested.machine.processes.facts_[7].start_time_ns += start_tick_ns;
	else
		tested.machine.generated_code.files[7].ended = true;
	tested.send({tested.sample(7, 100, {tested.at(0x5004)}), tested.sample(7, 101, {tested.at(0x5004)})});
	const Report report = tested.finish();
	CHECK(names_of(report) == Names{"", ""});
	CHECK(other(report, "code_processes_missed") == 1);
}

TEST_CASE("a process without generated code is not looked at")
{
	Generating tested;
	tested.begin();
	tested.send({tested.sample(7, 100, {frame(0x400100, 0x100, 1, Method::PC)})});
	tested.finish();
	CHECK(tested.machine.generated_code.asked == 0);
}

TEST_CASE("each report of a service names what it has, and a process that has ended is let go")
{
	Generating tested;
	tested.begin();
	tested.machine.generated_code.files[7].map = "5000 10 f\n";
	tested.send({tested.sample(7, 100, {tested.at(0x5004)})});
	const auto first = tested.recording->interval();
	REQUIRE(first);
	CHECK(names_of(*first) == Names{"f"});
	tested.machine.generated_code.files[7].map = "5000 10 f\n6000 10 g\n";
	tested.send({tested.sample(7, 100, {tested.at(0x6004)})});
	tested.machine.generated_code.files[7].ended = true;
	const auto second = tested.recording->interval();
	REQUIRE(second);
	CHECK(names_of(*second) == Names{"g"});
	tested.send({tested.sample(7, 100, {tested.at(0x6004)})});
	CHECK(names_of(tested.finish()) == Names{""});
	CHECK(tested.machine.generated_code.asked == 2);
}

TEST_CASE("flaws of what a runtime wrote are named, and counted")
{
	Generating tested;
	const Logged logged;
	tested.begin();
	tested.machine.generated_code.files[7].map = "5000 10 f\nno line\n";
	tested.machine.generated_code.files[7].dump = "no dump";
	tested.send({tested.sample(7, 100, {tested.at(0x5004)})});
	const Report report = tested.finish();
	CHECK(names_of(report) == Names{"f"});
	CHECK(other(report, "code_notes_bad") == 1);
	CHECK(other(report, "code_notes_refused") == 1);
	CHECK(logged.text().find("/tmp/perf-7.map: 1 entries cannot be read, the first of them at line 2") !=
	      std::string::npos);
	CHECK(logged.text().find("/tmp/jit-7.dump: it is too short for a jitdump") != std::string::npos);
}
