// SPDX-License-Identifier: GPL-2.0
// What the kernel tells of processes' lives becomes tables, and what reports say of processes.
#include <catch2/catch.hpp>

#include "unit/app/recorded.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

constexpr ProcessImage image{5, 20'000'000'000, 3};

ProcessExecuted executed(const ProcessImage& of, const std::string& exe)
{
	ProcessExecuted event;
	event.image = of;
	event.parent_pid = 1;
	event.comm = "told";
	event.exe = exe;
	event.arguments = {exe};
	return event;
}

ProcessExited exited(const ProcessImage& of)
{
	ProcessExited event;
	event.image = of;
	event.time_ns = 77;
	return event;
}

ProcessForked forked(const ProcessImage& of, const ProcessImage& parent)
{
	ProcessForked event;
	event.image = of;
	event.parent = parent;
	return event;
}

FileMapped mapped(const ProcessImage& by, const Mapping& mapping)
{
	FileMapped event;
	event.image = by;
	event.mapping = mapping;
	return event;
}

// A sample of the process, which is gone.
StackRecord sample_of(const ProcessImage& of, std::uint32_t tid)
{
	StackRecord record = stack_record(of.pid, {frame(0x10, 0, 0, Method::PC)});
	record.tid = tid;
	record.start_time_ns = of.start_time_ns;
	record.exec_id = of.exec_id;
	return record;
}

struct Followed {
	FakeMachine machine;
	Recording recording;

	explicit Followed(const RecordingOptions& options = all_processes()) : recording(machine.ports(), options)
	{
		REQUIRE(recording.prepare(never));
	}

	Report report_with(std::vector<Record> records)
	{
		machine.send(std::move(records));
		auto report = recording.finish();
		REQUIRE(report);
		return std::move(*report);
	}
};

} // namespace

TEST_CASE("a file has its table before anybody was sampled in it")
{
	Followed f;
	f.machine.files.add("/lib/late.so");
	f.machine.lives.tell(mapped(image, f.machine.processes.map(5, "/lib/late.so", 0x1000)));
	wait_for_tables(f.machine.kernel, 2); // the vDSO has one, too
	const auto report = f.report_with({});
	CHECK(other(report, "files_not_opened") == 0);
}

TEST_CASE("a file that is gone before anybody was sampled in it is no loss")
{
	Followed f;
	f.machine.lives.tell(mapped(image, {0x1000, 0x2000, 0, 8, 1, 99, "/lib/gone.so"}));
	const auto report = f.report_with({});
	CHECK(other(report, "files_not_opened") == 0);
}

TEST_CASE("a process that is gone has its program, its parent and its end in the report")
{
	Followed f;
	f.machine.lives.tell(executed(image, "/bin/short"));
	f.machine.lives.tell(exited(image));
	const auto report = f.report_with({sample_of(image, 6)});
	REQUIRE(report.processes.size() == 1);
	CHECK(report.processes[0].exe == "/bin/short");
	CHECK(report.processes[0].details.parent_pid == 1);
	CHECK(report.processes[0].details.arguments == std::vector<std::string>{"/bin/short"});
	CHECK(report.processes[0].exit_time_ns == 77);
}

TEST_CASE("who wants no arguments in the report has none")
{
	RecordingOptions options = all_processes();
	options.no_arguments = true;
	Followed f(options);
	f.machine.lives.tell(executed(image, "/bin/short"));
	const auto report = f.report_with({sample_of(image, 6)});
	REQUIRE(report.processes.size() == 1);
	CHECK(report.processes[0].exe == "/bin/short");
	CHECK(report.processes[0].details.arguments.empty());
}

TEST_CASE("a child has the program of a parent that began before the recording")
{
	Followed f;
	const ProcessImage child{6, 30'000'000'000, 3};
	f.machine.processes.facts_[5] = {"/bin/parent", "parent", image.start_time_ns};
	f.machine.lives.tell(forked(child, image));
	f.machine.lives.tell(exited(child));
	const auto report = f.report_with({sample_of(child, 6)});
	REQUIRE(report.processes.size() == 1);
	CHECK(report.processes[0].exe == "/bin/parent");
	CHECK(report.processes[0].details.parent_pid == 5);
}

TEST_CASE("a parent whose number another process has by now says nothing of the child")
{
	Followed f;
	const ProcessImage child{6, 30'000'000'000, 3};
	f.machine.processes.facts_[5] = {"/bin/other", "other", image.start_time_ns + start_tick_ns};
	f.machine.lives.tell(forked(child, image));
	const auto report = f.report_with({sample_of(child, 6)});
	CHECK(report.processes.at(0).exe == "");
}

TEST_CASE("where nobody tells of lives, /proc is asked, and the report says so")
{
	FakeMachine machine;
	machine.lives.refuses = true;
	machine.processes.facts_[5] = {"/bin/long", "long", image.start_time_ns};
	machine.processes.details_[5] = {1, 2, {"long"}, "/lxc.payload.web", ""};
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	machine.send({sample_of(image, 5)});
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(report->session.unwatched == std::vector<std::string>{"processes"});
	REQUIRE(report->processes.size() == 1);
	CHECK(report->processes[0].exe == "/bin/long");
	CHECK(report->processes[0].details == ProcessDetails{1, 2, {"long"}, "/lxc.payload.web", "web"});
	CHECK_FALSE(report->processes[0].exit_time_ns);
}

TEST_CASE("lives of the session's processes are told, no others")
{
	FakeMachine machine;
	RecordingOptions options;
	options.session.targets = {7};
	options.session.inherit = true;
	Recording recording(machine.ports(), options);
	REQUIRE(recording.prepare(never));
	REQUIRE(machine.lives.watched);
	CHECK(machine.lives.watched->targets == std::vector<std::int32_t>{7});
	CHECK(machine.lives.watched->inherit);
	REQUIRE(recording.finish());
}
