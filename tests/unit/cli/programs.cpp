// SPDX-License-Identifier: GPL-2.0
// The two programs as a shell sees them: exit codes and messages that need no
// module. They are the ones that were built next to this test.
#include <catch2/catch.hpp>

#include <filesystem>
#include <sstream>

#include "unit/cli/programs.h"
#include "unit/export/sample_report.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace programs;
namespace fs = std::filesystem;

TEST_CASE("help and version are to be had of everything")
{
	if (!programs_are_built())
		return;
	for (const char* arguments : {"--help", "record --help", "report --help", "status --help", "list --help",
				      "list tables --help", "list events --help", "doctor --help", "table --help"})
		CHECK(run("uwind", arguments).status == 0);
	for (const char* arguments : {"--version", "record --version", "report --version", "list --version"})
		CHECK(run("uwind", arguments).output == "uwind " UWIND_VERSION "\n");
	CHECK(run("uwindd", "--help").status == 0);
	CHECK(run("uwindd", "--version").output == "uwindd " UWIND_VERSION "\n");
}

TEST_CASE("a wrong command line is a usage error")
{
	if (!programs_are_built())
		return;
	const char* arguments = GENERATE(
		"", "nonsense", "record", "record --no-such", "record -a -p 1", "record -a -- true", "record -p 0",
		"record -a -F 0", "record -a -F 100001", "record -a -F 99 -c 1000", "record -a -e no-such-event",
		"record -a --filter x", "record -a -e cpu-clock --filter x", "record -a -e requests:u",
		"record -a --duration -1", "record --exclude-pid 5", "record -a --exclude-pid 0", "record -a -C 3-1",
		"record -C all", "record -a --max-depth 0", "record -a --max-depth 4097", "record -G ''",
		"record -C 0 -a -p 1", "record -a -e requests -F 99", "record -a -e requests -c 1",
		"report --format pdf", "status x", "doctor --format xml", "table keep", "table keep -j 0 /bin",
		"table keep -j 65 /bin", "table keep /nonexistent", "list x", "list tables x", "list tables events",
		"list events 'no-such*'", "table keep --table-cache none /bin");
	const auto outcome = run("uwind", arguments);
	INFO(arguments);
	CHECK(outcome.status == 64);
	CHECK_FALSE(outcome.output.empty());
	CHECK(run("uwindd", "--interval 0").status == 64);
}

TEST_CASE("without the module the message says what to do")
{
	if (!programs_are_built() || module_is_loaded())
		return;
	for (const char* arguments :
	     {"record -a -o /dev/null", "record -o /dev/null -- true", "record -p 1 -o /dev/null", "status", "list",
	      "list tables", "record -G system.slice -o /dev/null",
	      "record -C 0 --max-depth 7 --exclude-pid 1,2 -o /dev/null",
	      "record -C 0-1,3 --cgroup / -p 1 -o /dev/null", "record -a -e requests -o /dev/null",
	      "record -a -e cpu-clock:u -o /dev/null", "record -a -e cycles:u -F 9 -o /dev/null"}) {
		const auto outcome = run("uwind", arguments);
		CHECK(outcome.status == 69);
		CHECK(outcome.output == "uwind: the kernel module is not loaded: run `modprobe uwind`\n");
	}
	CHECK(run("uwindd", "--dir /tmp").status == 69);
}

TEST_CASE("events are listed without the module, a name and a kind per line")
{
	if (!programs_are_built())
		return;
	const auto some = run("uwind", "list events 'page-faul*' dummy 2>/dev/null #");
	CHECK(some.status == 0);
	CHECK(some.output == "page-faults  software event\ndummy        software event\n");
	CHECK(run("uwind", "list events software 2>/dev/null #").output.starts_with("cpu-clock "));
}

TEST_CASE("tables are kept without the module, and one line says how many")
{
	if (!programs_are_built())
		return;
	const TemporaryFolder folder;
	const std::string cache = fs::canonical(folder.path) / "cache";
	const std::string keep = "table keep -j 2 --table-cache " + cache;
	const auto made = run("uwind", keep + " /bin/cat /bin/ls");
	CHECK(made.status == 0);
	CHECK_THAT(made.output, Catch::StartsWith("2 files: 2 tables made; "));
	CHECK_THAT(made.output, Catch::EndsWith(" of at most 256.0 MiB are kept in " + cache + "\n"));
	const auto again = run("uwind", keep + " /bin/cat /bin/ls /etc/passwd");
	CHECK(again.status == 65);
	CHECK_THAT(again.output, Catch::Contains("uwind: /etc/passwd: not an ELF file\n"));
	CHECK_THAT(again.output, Catch::Contains("2 files: 0 tables made, 2 kept already, 1 failed; "));
	fs::permissions(cache, fs::perms::all);
	const auto open = run("uwind", keep + " /bin/cat");
	CHECK(open.status == 77);
	CHECK(open.output == "uwind: " + cache + " can be written to by others: chmod go-w it\n");
}

TEST_CASE("a signal ends the keeping of tables, and what was made stays")
{
	if (!programs_are_built())
		return;
	const TemporaryFolder folder;
	const auto stopped = run("uwind", "table keep -j 1 --table-cache " + folder.at("cache") + " /usr/bin /usr/lib",
				 "timeout --preserve-status -s INT 3 ");
	CHECK(stopped.status == 0);
	CHECK_THAT(stopped.output, Catch::Contains("; stopped before the end; "));
	CHECK(std::distance(fs::directory_iterator(folder.path / "cache"), {}) > 1);
}

TEST_CASE("a report is shown in every form")
{
	if (!programs_are_built())
		return;
	const ReportFile file(sample_report());
	const std::string input = std::string("report -i ") + file.path;
	CHECK_THAT(run("uwind", input).output, Catch::StartsWith("PROGRAM "));
	CHECK_THAT(run("uwind", input + " --format folded").output, Catch::Contains("main;leaf 2\n"));
	std::ostringstream json;
	write_json(sample_report(), json);
	CHECK(run("uwind", input + " --format json").output == json.str());
	CHECK(run("uwind", std::string("report -i - --format json < ") + file.path).output == json.str());
	CHECK(run("uwind", input + " -o /dev/full").status == 78);
}

TEST_CASE("a report that cannot be read is named, with what is wrong")
{
	if (!programs_are_built())
		return;
	const ReportFile file(sample_report());
	std::ofstream(file.path) << "{}";
	const auto outcome = run("uwind", std::string("report -i ") + file.path);
	CHECK(outcome.status == 64);
	CHECK(outcome.output == std::string("uwind: ") + file.path + ": schema: is missing\n");
	CHECK(run("uwind", "report -i /nonexistent").output == "uwind: /nonexistent: No such file or directory\n");
}

TEST_CASE("a configuration is checked without the module, and refused with all that is wrong")
{
	if (!programs_are_built())
		return;
	char path[] = "/tmp/uwind-conf-XXXXXX";
	UniqueFd fd(::mkstemp(path));
	const std::string check = std::string("--check-config --config ") + path;
	std::ofstream(path) << "keep = 5\nfrequency = 49\n";
	const auto good =
		run("uwindd", check + " -F 50 --dir /tmp -v --cpus 1,0 --max-depth 10 --keep-tables /usr,/opt");
	CHECK(good.status == 0);
	CHECK(good.output == "interval = 10\ndir = /tmp\nkeep = 5\nfrequency = 50\nevent = cpu-clock\ncgroup = all\n"
			     "cpus = 0-1\nmax_depth = 10\nstack_bytes = 16384\nstack_depth = no\nno_arguments = no\n"
			     "table_cache = /var/cache/uwind/tables\nkeep_tables = /usr,/opt\nverbose = yes\n");
	std::ofstream(path) << "kep = 5\ninterval = 0\n";
	for (const std::string& arguments : {check, std::string("--config ") + path}) {
		const auto bad = run("uwindd", arguments);
		CHECK(bad.status == 78);
		CHECK_THAT(bad.output,
			   Catch::Contains(std::string(path) + ":1: there is no key 'kep': did you mean 'keep'?"));
		CHECK_THAT(bad.output, Catch::Contains(std::string(path) + ":2: interval is '0'"));
	}
	::unlink(path);
	CHECK(run("uwindd", check).status == 78);
	CHECK(run("uwindd", "--dir ''").status == 64);
	for (const char* wrong :
	     {"--event page-faults", "-C 1-", "-G system.slice", "--max-depth 0", "--keep-tables usr"})
		CHECK(run("uwindd", wrong).status == 64);
}

TEST_CASE("the doctor finds the module missing, says what to do, and tells scripts so")
{
	if (!programs_are_built() || module_is_loaded())
		return;
	const auto text = run("uwind", "doctor");
	CHECK(text.status == 69);
	CHECK_THAT(text.output, Catch::Contains("\nmissing  module     is not loaded"));
	CHECK_THAT(text.output, Catch::Contains("modprobe uwind"));
	const auto json = run("uwind", "doctor --format json");
	CHECK(json.status == 69);
	CHECK_THAT(json.output, Catch::StartsWith("{\n \"module_loaded\": false,"));
}
