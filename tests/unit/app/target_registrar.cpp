// SPDX-License-Identifier: GPL-2.0
// Tables before sampling, against fakes.
#include <catch2/catch.hpp>

#include "unit/app/recorded.h"

using namespace uwind;
using std::chrono::milliseconds;

TEST_CASE("the vDSO and what targets map have tables before sampling begins")
{
	FakeMachine machine;
	machine.files.add("/bin/a");
	machine.files.add("/lib/c");
	machine.processes.map(1, "/bin/a", 0x1000000);
	machine.processes.map(1, "/lib/c", 0x2000000);
	machine.processes.map(2, "/lib/c", 0x3000000);
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	REQUIRE(recording.enable());
	CHECK(machine.kernel.calls_ == std::vector<std::string>{"start", "enable after 3 tables"});
	CHECK(machine.objects.built_ == 3);
}

TEST_CASE("only the given processes are registered beforehand with -p")
{
	FakeMachine machine;
	machine.files.add("/bin/a");
	machine.files.add("/bin/b");
	machine.processes.map(1, "/bin/a", 0x1000000);
	machine.processes.map(2, "/bin/b", 0x1000000);
	RecordingOptions options;
	options.session.targets = {2};
	Recording recording(machine.ports(), options);
	REQUIRE(recording.prepare(never));
	CHECK(machine.kernel.table_count() == 2); // vDSO and b
}

TEST_CASE("a command's loader and libraries have tables before it starts")
{
	FakeMachine machine;
	machine.files.add("/opt/bin/app").facts.needed = {"libown.so", "libc.so.6", "libnone.so"};
	machine.files.files_["/opt/bin/app"].facts.library_folders = {"$ORIGIN/../lib"};
	machine.files.files_["/opt/bin/app"].facts.interpreter = "/lib64/ld.so";
	machine.files.add("/opt/bin/../lib/libown.so").facts.needed = {"libown.so", "libm.so.6"};
	machine.files.add("/lib/x86_64-linux-gnu/libc.so.6");
	machine.files.add("/usr/lib/libm.so.6");
	machine.files.add("/lib64/ld.so");
	RecordingOptions options;
	options.program = "/opt/bin/app";
	Recording recording(machine.ports(), options);
	REQUIRE(recording.prepare(never));
	CHECK(machine.kernel.table_count() == 6);
}

TEST_CASE("a command's file has the path where it lies, and is opened once for its table and once for names")
{
	FakeMachine machine;
	const auto identity = machine.files.add("/opt/bin/app").identity;
	machine.files.links_["bin/app"] = "/opt/bin/app";
	RecordingOptions options = all_processes();
	options.program = "bin/app";
	Recording recording(machine.ports(), options);
	REQUIRE(recording.prepare(never));
	const auto mapping = machine.processes.map(5, "/opt/bin/app", 0x1000000);
	machine.send({file_record(1, 5, mapping, identity), stack_record(5, {frame(0x1000010, 0x10, 1, Method::PC)})});
	REQUIRE(recording.run_for(milliseconds(100)));
	CHECK(machine.objects.opened_ == 2); // the vDSO and app, for their tables
	const auto report = recording.finish();
	REQUIRE(report);
	REQUIRE(report->modules.size() == 1);
	CHECK(report->modules[0].path == "/opt/bin/app");
	CHECK(machine.objects.opened_ == 3); // app, for names
}

TEST_CASE("a request to stop ends the registration")
{
	FakeMachine machine;
	machine.files.add("/bin/a");
	machine.processes.map(1, "/bin/a", 0x1000000);
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare([] { return true; }));
	CHECK(machine.kernel.table_count() == 1); // the vDSO
}

TEST_CASE("no table is made for a path that the module serves already: its facts come from the list")
{
	FakeMachine machine;
	const auto identity = machine.files.add("/bin/a").identity;
	const auto mapping = machine.processes.map(1, "/bin/a", 0x1000000);
	machine.kernel.others_ = {{3, Method::SFRAME_V2, 11, 4, 99, 1, 21, "/bin/a"}};
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	CHECK(machine.objects.built_ == 1);
	auto record = file_record(21, 1, mapping, identity);
	record.no_table = false;
	machine.send({record, stack_record(1, {frame(0x1000010, 0x10, 21, Method::PC)})});
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(machine.objects.built_ == 1);
	REQUIRE(report->modules.size() == 1);
	CHECK(report->modules[0].table == Method::SFRAME_V2);
	CHECK(report->modules[0].rows == 11);
	CHECK(report->modules[0].table_known_ns == 0);
}
