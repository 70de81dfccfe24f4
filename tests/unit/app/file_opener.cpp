// SPDX-License-Identifier: GPL-2.0
// Files that the module reports while it samples, against fakes.
#include <catch2/catch.hpp>

#include "app/file_opener.h"
#include "unit/app/recorded.h"

using namespace uwind;
using std::chrono::milliseconds;

TEST_CASE("a missed file gets its table once, however often it is announced")
{
	FakeMachine machine;
	const auto identity = machine.files.add("/bin/late").identity;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	const auto mapping = machine.processes.map(5, "/bin/late", 0x1000000);
	machine.send({file_record(1, 5, mapping, identity)});
	machine.send({file_record(2, 5, mapping, identity), file_record(1, 5, mapping, identity)});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, 2);
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "tables_made") == 2);
	CHECK(machine.objects.built_ == 2);
}

TEST_CASE("the report says since when each file's table was known")
{
	FakeMachine machine;
	machine.files.add("/bin/early");
	const auto early = machine.processes.map(1, "/bin/early", 0x1000000);
	const auto late_identity = machine.files.add("/bin/late").identity;
	const auto gone_identity = machine.files.add("/bin/gone").identity;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	const std::uint64_t began_ns = machine.clock.boottime_ns();
	const auto late = machine.processes.map(5, "/bin/late", 0x2000000);
	const auto gone = machine.processes.map(5, "/bin/gone", 0x3000000);
	machine.files.files_.erase("/bin/gone");
	auto first = file_record(1, 1, early, machine.files.files_.at("/bin/early").identity);
	first.no_table = false;
	machine.send({first, file_record(2, 5, late, late_identity), file_record(3, 5, gone, gone_identity),
		      stack_record(5, {frame(0x1000010, 0x10, 1, Method::PC), frame(0x2000010, 0x10, 2, Method::FP),
				       frame(0x3000010, 0x10, 3, Method::FP)})});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, 3);
	const auto report = recording.finish();
	REQUIRE(report);
	REQUIRE(report->modules.size() == 3);
	CHECK(report->modules[0].table_known_ns.value() < began_ns);
	CHECK(report->modules[1].table_known_ns.value() >= began_ns);
	CHECK_FALSE(report->modules[2].table);
	CHECK(report->modules[2].table_known_ns.value() >= began_ns);
}

TEST_CASE("as long as a table is being made, a recording says so")
{
	FakeMachine machine;
	auto& file = machine.files.add("/bin/late");
	file.table_takes = milliseconds(300);
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	CHECK_FALSE(recording.is_making_tables());
	const auto mapping = machine.processes.map(5, "/bin/late", 0x1000000);
	machine.send({file_record(1, 5, mapping, file.identity)});
	REQUIRE(recording.run_for(milliseconds(50)));
	CHECK(recording.is_making_tables());
	wait_for_tables(machine.kernel, 2);
	CHECK(recording.finish());
	// The thread that has made it may not have said so yet.
	for (int i = 0; i < 500 && recording.is_making_tables(); i++)
		std::this_thread::sleep_for(milliseconds(10));
	CHECK_FALSE(recording.is_making_tables());
}

TEST_CASE("a file that was replaced meanwhile is not registered")
{
	FakeMachine machine;
	const auto identity = machine.files.add("/bin/late").identity;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	auto mapping = machine.processes.map(5, "/bin/late", 0x1000000);
	machine.files.files_["/bin/late"].identity.inode++;
	machine.send({file_record(1, 5, mapping, identity)});
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "files_not_opened") == 1);
	CHECK(machine.kernel.table_count() == 1);
}

TEST_CASE("a file whose announcement was lost is found through the process's mappings")
{
	FakeMachine machine;
	machine.files.add("/bin/late").symbols = {{0x400000, 0x100, Binding::global, "f"}};
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	machine.processes.map(5, "/bin/late", 0x1000000);
	machine.send({stack_record(5, {frame(0x1000010, 0x10, 9, Method::PC)})});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, 2);
	const auto report = recording.finish();
	REQUIRE(report);
	REQUIRE(report->frames.size() == 1);
	CHECK(report->frames[0].symbol == "f");
}

TEST_CASE("a look-up that is later than the announcement does not replace it by what is mapped there now")
{
	FakeMachine machine;
	machine.files.add("/bin/now");
	machine.processes.map(5, "/bin/now", 0x1000000);
	const Ports ports = machine.ports();
	Modules modules;
	ScannedFiles scanned;
	EventCounter events;
	WorkQueue queue;
	const TableShelf shelf(ports.unwinder);
	FileOpener opener(ports, modules, scanned, events, queue, shelf);
	FileJob missed;
	missed.file_number = 9;
	missed.tgid = 5;
	missed.pc = 0x1000010;
	const auto announced = modules.add({8, 1, 100, 0, 0}, "/bin/before").id;
	modules.bind(9, announced);
	opener.open(missed);
	CHECK(modules.of_number(9) == announced);
	missed.file_number = 10;
	opener.open(missed);
	REQUIRE(modules.of_number(10));
	CHECK(modules.of_number(10) != announced);
}

TEST_CASE("a file that is announced without a path is found through the process's mappings")
{
	FakeMachine machine;
	FakeFile& file = machine.files.add("/bin/late");
	file.symbols = {{0x400000, 0x100, Binding::global, "f"}};
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	Mapping mapping = machine.processes.map(5, "/bin/late", 0x1000000);
	mapping.path.clear();
	machine.send(
		{file_record(1, 5, mapping, file.identity), stack_record(5, {frame(0x1000010, 0x10, 1, Method::PC)})});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, 2);
	const auto report = recording.finish();
	REQUIRE(report);
	REQUIRE(report->modules.size() == 1);
	CHECK(report->modules[0].path == "/bin/late");
	CHECK(report->frames[0].symbol == "f");
}

TEST_CASE("a file that was announced without a path by a process that is gone is opened for the next one")
{
	FakeMachine machine;
	const auto identity = machine.files.add("/bin/late").identity;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	machine.send({file_record(1, 5, Mapping{}, identity)});
	REQUIRE(recording.run_for(milliseconds(100)));
	const auto mapping = machine.processes.map(6, "/bin/late", 0x1000000);
	machine.send({file_record(1, 6, mapping, identity), stack_record(6, {frame(0x1000010, 0x10, 1, Method::PC)})});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, 2);
	const auto report = recording.finish();
	REQUIRE(report);
	REQUIRE(report->modules.size() == 1);
	CHECK(report->modules[0].path == "/bin/late");
	CHECK(other(*report, "tables_made") == 2);
}

TEST_CASE("a file that went before it could be opened still has its path")
{
	FakeMachine machine;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	Mapping mapping;
	mapping.path = "/tmp/gone";
	machine.send({file_record(1, 5, mapping, {8, 1, 77, 1, 1}),
		      stack_record(5, {frame(0x1000010, 0x10, 1, Method::PC)}, Stop::NO_TABLE)});
	const auto report = recording.finish();
	REQUIRE(report);
	REQUIRE(report->modules.size() == 1);
	CHECK(report->modules[0].path == "/tmp/gone");
	CHECK_FALSE(report->frames[0].symbol);
}

TEST_CASE("a process's other files get their tables with the reported one, or when they are missed if that is early "
	  "enough")
{
	FakeMachine machine;
	const auto identity = machine.files.add("/bin/late").identity;
	const auto other_identity = machine.files.add("/lib/late.so").identity;
	RecordingOptions options = all_processes();
	options.session.stack_bytes = GENERATE(0u, 16384u);
	Recording recording(machine.ports(), options);
	REQUIRE(recording.prepare(never));
	const auto mapping = machine.processes.map(5, "/bin/late", 0x1000000);
	const auto other_mapping = machine.processes.map(5, "/lib/late.so", 0x2000000);
	machine.send({file_record(1, 5, mapping, identity)});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, options.session.stack_bytes ? 2 : 3);
	while (recording.is_making_tables())
		std::this_thread::sleep_for(milliseconds(2));
	CHECK(machine.processes.opened_mapped_ == (options.session.stack_bytes ? 1 : 2));
	machine.send({file_record(2, 5, other_mapping, other_identity)});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, 3);
}

TEST_CASE("the 64-bit vDSO keeps its one table, the 32-bit one gets its own")
{
	FakeMachine machine;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	FileRecord vdso = file_record(1, 5, Mapping{}, FileIdentity{});
	vdso.vdso = true;
	FileRecord compat = vdso;
	compat.number = 2;
	compat.compat = true;
	machine.send({vdso, compat});
	REQUIRE(recording.run_for(milliseconds(100)));
	wait_for_tables(machine.kernel, 2);
	CHECK(machine.objects.built_ == 2);
}

TEST_CASE("what was missed is made before what other processes map beside it")
{
	FakeMachine machine;
	Modules modules;
	ScannedFiles scanned;
	EventCounter events;
	WorkQueue queue;
	const TableShelf shelf(machine.unwinder);
	FileOpener opener(machine.ports(), modules, scanned, events, queue, shelf);
	std::map<std::string, ModuleId> ids;
	for (const char* path : {"/bin/one", "/lib/beside", "/bin/two"})
		ids[path] = modules.add(machine.files.add(path).identity, "").id;
	const auto one = machine.processes.map(1, "/bin/one", 0x1000000);
	machine.processes.map(1, "/lib/beside", 0x2000000);
	const auto two = machine.processes.map(2, "/bin/two", 0x3000000);
	for (const auto& [tgid, mapping] : {std::pair(1u, one), std::pair(2u, two)}) {
		FileJob job;
		job.module = ids.at(mapping.path);
		job.tgid = tgid;
		job.mapping = mapping;
		opener.open(std::move(job));
	}
	for (const char* path : {"/bin/one", "/bin/two", "/lib/beside"})
		CHECK(std::get<OpenedModule>(queue.take().value()).id == ids.at(path));
}
