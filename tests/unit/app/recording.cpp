// SPDX-License-Identifier: GPL-2.0
// A recording from its start to its reports, against fakes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>

#include "unit/fake_machine.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

RecordingOptions all_processes()
{
	RecordingOptions options;
	options.session.all = true;
	options.target = "all";
	return options;
}

// Waits until the tracker's thread has made so many tables.
void wait_for_tables(FakeKernel& kernel, std::size_t count)
{
	for (int i = 0; i < 500 && kernel.table_count() < count; i++)
		std::this_thread::sleep_for(milliseconds(2));
	REQUIRE(kernel.table_count() == count);
}

std::uint64_t other(const Report& report, const char* name)
{
	return report.counters.others.at(name);
}

// What is logged at spdlog's own level while it lives.
class Logged {
public:
	Logged() : before_(spdlog::default_logger())
	{
		const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
		spdlog::set_default_logger(std::make_shared<spdlog::logger>("test", sink));
	}
	~Logged() { spdlog::set_default_logger(before_); }

	std::size_t lines() const
	{
		const std::string text = text_.str();
		return std::size_t(std::count(text.begin(), text.end(), '\n'));
	}

private:
	std::shared_ptr<spdlog::logger> before_;
	std::ostringstream text_;
};

std::uint64_t sum(const std::map<std::string, std::uint64_t>& counts)
{
	std::uint64_t total = 0;
	for (const auto& [name, count] : counts)
		total += count;
	return total;
}

} // namespace

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
	REQUIRE(recording.run_for(milliseconds(300)));
	const auto report = recording.finish();
	REQUIRE(report);
	CHECK(other(*report, "tables_made") == 1);
	CHECK(other(*report, "tables_given_up") >= 1);
	CHECK(other(*report, "tables_refused") == 0);
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
	REQUIRE(recording.run_for(milliseconds(50)));
	const auto first = recording.interval();
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
