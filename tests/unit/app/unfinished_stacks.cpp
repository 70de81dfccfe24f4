// SPDX-License-Identifier: GPL-2.0
// Samples that came before their table, in a recording against fakes.
#include <catch2/catch.hpp>

#include "unit/app/recorded.h"
#include "unit/late_walk.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t late = 0x1000000, outer = 0x2000000;

std::shared_ptr<const Unfinished> called_from(std::uint64_t caller)
{
	return std::make_shared<const Unfinished>(unfinished_at(late + 0x10, caller));
}

// A process with two libraries, whose sample ended in the first one.
struct Late {
	FakeMachine machine;
	FakeFile& file = machine.files.add("/lib/late.so");
	Mapping mapping;
	bool served = false; // by another program's table
	bool announced_after = false;
	StackRecord record = stack_record(1, {frame(late + 0x10, 0x10, 1, Method::PC)}, Stop::NO_TABLE);

	explicit Late(std::uint64_t caller = late + 0x110)
	{
		file.rows = two_functions();
		machine.files.add("/lib/outer.so").rows = two_functions();
		mapping = machine.processes.map(1, "/lib/late.so", late);
		machine.processes.map(1, "/lib/outer.so", outer);
		machine.processes.facts_[1] = {"/bin/a", "a", 12'340'000'000};
		machine.kernel.stats_.requested = machine.kernel.stats_.answered = 1;
		machine.kernel.stats_.stops[Stop::NO_TABLE] = 1;
		record.unfinished = called_from(caller);
	}

	Report run()
	{
		RecordingOptions options = all_processes();
		options.session.stack_bytes = 16384;
		machine.processes.mappings_.swap(before_); // nothing is a target when it begins
		Recording recording(machine.ports(), options);
		REQUIRE(recording.prepare(never));
		machine.processes.mappings_.swap(before_);
		FileRecord announced = file_record(1, 1, mapping, file.identity);
		announced.no_table = !served;
		if (announced_after)
			machine.send({record});
		machine.send({announced});
		if (!announced_after)
			machine.send({record});
		auto report = recording.finish();
		REQUIRE(report);
		return *report;
	}

private:
	std::map<std::uint32_t, std::vector<Mapping>> before_;
};

void check_left(const Report& report, const char* count)
{
	REQUIRE(report.stacks.size() == 1);
	CHECK(report.stacks[0].stop == Stop::NO_TABLE);
	CHECK_FALSE(report.stacks[0].finished_later);
	CHECK(report.stacks[0].frames.size() == 1);
	CHECK(other(report, count) == 1);
	CHECK(other(report, "stacks_finished_later") == 0);
	CHECK(report.counters.stops.at("no_table") == 1);
}

} // namespace

TEST_CASE("a stack is finished when its table is there")
{
	const Report report = Late().run();
	REQUIRE(report.stacks.size() == 1);
	CHECK(report.stacks[0].stop == Stop::OUTERMOST);
	CHECK(report.stacks[0].finished_later);
	REQUIRE(report.stacks[0].frames.size() == 2);
	const ReportFrame& caller = report.frames.at(report.stacks[0].frames[1]);
	CHECK(caller.address == late + 0x110);
	REQUIRE(caller.module);
	CHECK(report.modules.at(*caller.module).path == "/lib/late.so");
	CHECK(other(report, "stacks_finished_later") == 1);
	CHECK(report.counters.stops.at("no_table") == 0);
	CHECK(report.counters.stops.at("outermost") == 1);
}

TEST_CASE("so is one for which something else was taken for a frame pointer, which led astray")
{
	Late late_one;
	late_one.record.stack =
		stack_part({frame(late + 0x10, 0x10, 1, Method::PC), frame(late + 0x150, 0x150, 1, Method::COMPAT_FP)},
			   Stop::BAD_PC);
	late_one.machine.kernel.stats_.stops = {{Stop::BAD_PC, 1}};
	const Report report = late_one.run();
	REQUIRE(report.stacks.size() == 1);
	CHECK(report.stacks[0].stop == Stop::OUTERMOST);
	CHECK(report.stacks[0].finished_later);
	REQUIRE(report.stacks[0].frames.size() == 2);
	CHECK(report.frames.at(report.stacks[0].frames[1]).address == late + 0x110);
	CHECK(report.counters.stops.at("bad_pc") == 0);
	CHECK(report.counters.stops.at("outermost") == 1);
}

TEST_CASE("also if a message of another CPU announces the file after the sample")
{
	Late late_one;
	late_one.announced_after = true;
	const Report report = late_one.run();
	REQUIRE(report.stacks.size() == 1);
	CHECK(report.stacks[0].finished_later);
}

TEST_CASE("and when a file that nobody has announced has its table, too")
{
	const Report report = Late(outer + 0x110).run();
	REQUIRE(report.stacks.size() == 1);
	CHECK(report.stacks[0].stop == Stop::OUTERMOST);
	REQUIRE(report.stacks[0].frames.size() == 2);
	const ReportFrame& caller = report.frames.at(report.stacks[0].frames[1]);
	REQUIRE(caller.module);
	CHECK(report.modules.at(*caller.module).path == "/lib/outer.so");
}

TEST_CASE("also if its process has gone since the sample came")
{
	Late late_one(outer + 0x110);
	late_one.machine.processes.readings_left_ = 1;
	const Report report = late_one.run();
	REQUIRE(report.stacks.size() == 1);
	CHECK(report.stacks[0].stop == Stop::OUTERMOST);
}

TEST_CASE("a stack stays as it was")
{
	Late late_one;
	SECTION("if its process is gone")
	{
		late_one.machine.processes.facts_.clear();
		check_left(late_one.run(), "unfinished_gone");
	}
	SECTION("if another process has its number")
	{
		late_one.machine.processes.facts_[1].start_time_ns += 10'000'000;
		check_left(late_one.run(), "unfinished_gone");
	}
	SECTION("if another file is mapped there by now")
	{
		auto& mappings = late_one.machine.processes.mappings_[1];
		std::swap(mappings[0].inode, mappings[1].inode);
		std::swap(mappings[0].path, mappings[1].path);
		check_left(late_one.run(), "unfinished_gone");
	}
	SECTION("if the table is another program's")
	{
		late_one.machine.kernel.others_ = {{9, Method::EH_FRAME, 2, 2, 64, 5, 1, "/lib/late.so"}};
		late_one.served = true;
		check_left(late_one.run(), "unfinished_left");
	}
	SECTION("if the file has no table")
	{
		late_one.file.has_table = false;
		check_left(late_one.run(), "unfinished_left");
	}
	SECTION("if its table does not help")
	{
		late_one.file.rows.rules[0].kind = 5; // unknown
		check_left(late_one.run(), "unfinished_left");
	}
}

TEST_CASE("of stacks that wait the oldest is given up first")
{
	FakeMachine machine;
	Modules modules;
	std::vector<std::uint64_t> done;
	UnfinishedStacks waiting(machine.ports(), modules,
				 {[&](const StackRecord& left) { done.push_back(left.cookie); }, {}}, 64, 32);
	const auto& file = machine.files.add("/lib/late.so");
	machine.processes.map(1, "/lib/late.so", late);
	machine.processes.facts_[1] = {"/bin/a", "a", 12'340'000'000};
	modules.bind(1, modules.add(file.identity, file.path).id);
	for (std::uint64_t cookie = 1; cookie <= 3; cookie++) {
		auto record = stack_record(1, {frame(late + 0x10, 0x10, 1, Method::PC)}, Stop::NO_TABLE);
		record.cookie = cookie;
		record.unfinished = called_from(0);
		waiting.add(std::move(record));
	}
	CHECK(done == std::vector<std::uint64_t>{1});
	CHECK(waiting.counts().at("unfinished_too_many") == 1);
	waiting.finish_all();
	CHECK(done == std::vector<std::uint64_t>{1, 2, 3});
	CHECK(waiting.empty());
}
