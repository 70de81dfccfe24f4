// SPDX-License-Identifier: GPL-2.0
// What becomes of a file's table, against fakes.
#include <algorithm>
#include <catch2/catch.hpp>

#include "unit/app/recorded.h"
#include "unit/logged.h"

using namespace uwind;

TEST_CASE("a file that tells nothing about unwinding is tried once and counted")
{
	FakeMachine machine;
	auto& file = machine.files.add("/bin/bare");
	file.has_table = false;
	const auto mapping = machine.processes.map(1, "/bin/bare", 0x1000000);
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	machine.send({file_record(1, 1, mapping, file.identity),
		      stack_record(1, {frame(0x1000010, 0x10, 1, Method::PC)}, Stop::NO_TABLE)});
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "files_without_table") == 1);
	CHECK(machine.objects.built_ == 2);
	REQUIRE(report->modules.size() == 1);
	CHECK(report->modules[0].path == "/bin/bare");
	CHECK_FALSE(report->modules[0].table);
}

TEST_CASE("a file that another program's table serves keeps one table")
{
	FakeMachine machine;
	machine.files.add("/bin/a");
	machine.processes.map(1, "/bin/a", 0x1000000);
	machine.kernel.served_by_others_ = 1;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	CHECK(machine.kernel.table_count() == 1); // the vDSO's; ours was given back
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "tables_shared") == 1);
}

TEST_CASE("a full budget is counted")
{
	FakeMachine machine;
	machine.files.add("/bin/a");
	machine.processes.map(1, "/bin/a", 0x1000000);
	machine.kernel.budget_ = 1;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "tables_refused") == 1);
}

TEST_CASE("a broken .sframe section is counted, and other tables serve")
{
	FakeMachine machine;
	machine.files.add("/bin/a").sframe_refused = "not used: .sframe, byte 4: no";
	machine.processes.map(1, "/bin/a", 0x1000000);
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "sections_refused") == 1);
	CHECK(other(*report, "files_without_table") == 0);
}

TEST_CASE("of many files with broken sections twenty are named, all are counted")
{
	FakeMachine machine;
	for (std::uint64_t i = 0; i < 25; i++) {
		const std::string path = "/bin/broken" + std::to_string(i);
		machine.files.add(path).sframe_refused = "not used: .sframe, byte 4: no";
		machine.processes.map(1, path, 0x1000000 * (i + 1));
	}
	const Logged logged;
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(logged.lines() == 20);
	CHECK(other(*report, "sections_refused") == 25);
}

TEST_CASE("a full budget costs the tables that two periods did not use")
{
	FakeMachine machine;
	machine.files.add("/bin/a");
	const auto identity = machine.files.add("/bin/late").identity;
	machine.processes.map(1, "/bin/a", 0x1000000);
	Recording recording(machine.ports(), all_processes());
	REQUIRE(recording.prepare(never));
	machine.kernel.budget_ = machine.kernel.table_count();
	for (int i = 0; i < 3; i++)
		REQUIRE(recording.interval());
	machine.send({file_record(1, 5, machine.processes.map(5, "/bin/late", 0x1000000), identity)});
	run_until(recording, [&] { return machine.objects.built_ == 3 && !recording.is_making_tables(); });
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "tables_made") == 1);
	CHECK(other(*report, "tables_given_up") >= 1);
	CHECK(other(*report, "tables_refused") == 0);
}
