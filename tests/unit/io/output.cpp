// SPDX-License-Identifier: GPL-2.0
// Files written whole or not at all, the folder of reports, started commands.
#include <catch2/catch.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <thread>

#include "io/child.h"
#include "io/output_file.h"
#include "io/report_folder.h"
#include "io/stop_signals.h"
#include "unit/temporary_folder.h"

using namespace uwind;
namespace fs = std::filesystem;

namespace {

using Folder = TemporaryFolder;

std::string contents(const std::string& path)
{
	std::ostringstream text;
	text << std::ifstream(path).rdbuf();
	return text.str();
}

mode_t mode_of(const std::string& path)
{
	struct stat status {};
	REQUIRE(::stat(path.c_str(), &status) == 0);
	return status.st_mode & 07777;
}

void put(const std::string& path, const std::string& text, OutputFile::Older older)
{
	auto file = OutputFile::create(path, 0600, older);
	REQUIRE(file);
	REQUIRE(file->write([&](std::ostream& out) { out << text; }));
	REQUIRE(file->commit());
}

int status_of(Child& child)
{
	for (int i = 0; i < 24'000 && !child.ended(); i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(5));
	REQUIRE(child.ended());
	return *child.ended();
}

} // namespace

TEST_CASE("a file appears when it is committed, with its mode, and the older one becomes .old")
{
	Folder folder;
	const auto path = folder.at("r.json");
	put(path, "one", OutputFile::Older::keep_as_old);
	CHECK(mode_of(path) == 0600);
	put(path, "two", OutputFile::Older::keep_as_old);
	CHECK(contents(path) == "two");
	CHECK(contents(path + ".old") == "one");
	put(path, "three", OutputFile::Older::replace);
	CHECK(contents(path + ".old") == "one");
	CHECK(folder.files() == 2);
}

TEST_CASE("a file that is not committed leaves nothing behind, and the older one alone")
{
	Folder folder;
	const auto path = folder.at("r.json");
	put(path, "one", OutputFile::Older::keep_as_old);
	{
		auto file = OutputFile::create(path, 0600, OutputFile::Older::keep_as_old);
		REQUIRE(file);
		REQUIRE(file->write([](std::ostream& out) { out << "half"; }));
	}
	CHECK(contents(path) == "one");
	CHECK(folder.files() == 1);
}

TEST_CASE("a full disk is an error that names the file")
{
	auto file = OutputFile::create("/dev/full", 0600, OutputFile::Older::replace);
	REQUIRE(file);
	const auto written = file->write([](std::ostream& out) { out << std::string(1 << 20, 'x'); });
	REQUIRE_FALSE(written);
	CHECK(written.error().code == ENOSPC);
	CHECK_THAT(written.error().message, Catch::StartsWith("/dev/full: "));
}

TEST_CASE("a folder that does not exist, or is the file's name, is an error")
{
	CHECK(OutputFile::create("/nonexistent/x", 0600, OutputFile::Older::replace).error().code == ENOENT);
	CHECK(OutputFile::create("/tmp", 0600, OutputFile::Older::replace).error().code == EISDIR);
}

TEST_CASE("the folder of reports is made, keeps its number of reports, and drops leftovers")
{
	Folder base;
	const std::string path = base.at("a");
	REQUIRE(ReportFolder::open(path, 2));
	CHECK(mode_of(path) == 0750);
	std::ofstream(path + "/uwind-20200101T000000Z.json.AbCdEf") << "half";
	std::ofstream(path + "/notes.txt") << "mine";
	auto folder = ReportFolder::open(path, 2);
	REQUIRE(folder);
	for (const char* started : {"2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"})
		REQUIRE(folder->store(started, [](std::ostream& out) { out << "{}"; }));
	CHECK(mode_of(path + "/uwind-20260101T000003Z.json") == 0640);
	CHECK(fs::exists(path + "/uwind-20260101T000002Z.json"));
	CHECK(fs::exists(path + "/notes.txt"));
	CHECK(std::distance(fs::directory_iterator(path), {}) == 3);
}

TEST_CASE("two reports of one second are both kept")
{
	Folder base;
	auto folder = ReportFolder::open(base.at("a"), 10);
	REQUIRE(folder);
	for (int i = 0; i < 2; i++)
		REQUIRE(folder->store("2026-01-01T00:00:01Z", [](std::ostream& out) { out << "{}"; }));
	CHECK(fs::exists(base.at("a") + "/uwind-20260101T000001Z.json"));
	CHECK(fs::exists(base.at("a") + "/uwind-20260101T000001Z-b.json"));
}

TEST_CASE("a command runs only when it is told to, and its status is known")
{
	Folder folder;
	const std::string file = folder.at("ran");
	auto child = Child::prepare("/bin/sh", {"sh", "-c", "touch " + file + "; exit 3"});
	REQUIRE(child);
	std::this_thread::sleep_for(std::chrono::milliseconds(50));
	CHECK_FALSE(fs::exists(file));
	REQUIRE(child->execute());
	CHECK(status_of(*child) == 3);
	CHECK(fs::exists(file));
}

TEST_CASE("a command that a signal ends has 128 and the signal as its status")
{
	auto child = Child::prepare("/bin/sleep", {"sleep", "60"});
	REQUIRE(child);
	REQUIRE(child->execute());
	CHECK_FALSE(child->ended());
	child->send(SIGTERM);
	CHECK(status_of(*child) == 128 + SIGTERM);
}

TEST_CASE("a command that cannot be executed says why")
{
	Folder folder;
	const std::string path = folder.at("bad");
	std::ofstream(path) << "\x7f"
			       "ELF, not really";
	::chmod(path.c_str(), 0755);
	auto child = Child::prepare(path, {path});
	REQUIRE(child);
	const auto executed = child->execute();
	REQUIRE_FALSE(executed);
	CHECK(executed.error().code == ENOEXEC);
	CHECK(status_of(*child) == 127);
}

TEST_CASE("a command that was never told to run ends with its owner")
{
	pid_t pid = 0;
	{
		auto child = Child::prepare("/bin/true", {"true"});
		REQUIRE(child);
		pid = child->pid();
		CHECK(::kill(pid, 0) == 0);
	}
	CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("programs are searched for as a shell does")
{
	CHECK(find_program("sh"));
	CHECK(find_program("/bin/sh").value() == "/bin/sh");
	CHECK(find_program("no-such-program-anywhere").error().code == ENOENT);
	CHECK(find_program("/etc/passwd").error().code == EACCES);
}
