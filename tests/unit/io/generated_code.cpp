// SPDX-License-Identifier: GPL-2.0
// Perf maps and jitdumps of real processes.
#include <catch2/catch.hpp>

#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/generated_code.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

// A process that only waits, after it has mapped the file ("": none).
class Waiting {
public:
	explicit Waiting(const std::string& folder = "")
	{
		int ready[2];
		REQUIRE(::pipe(ready) == 0);
		pid_ = ::fork();
		if (pid_ == 0) {
			const std::string path = folder + "/jit-" + std::to_string(::getpid()) + ".dump";
			const int fd = folder.empty() ? -1 : ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
			if (fd >= 0 && (::write(fd, "dump", 4) != 4 ||
					::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED))
				::_exit(1);
			[[maybe_unused]] const auto said = ::write(ready[1], "r", 1);
			for (;;)
				::pause();
		}
		char said = 0;
		REQUIRE(::read(ready[0], &said, 1) == 1);
		::close(ready[0]);
		::close(ready[1]);
	}
	~Waiting()
	{
		end();
		::unlink(map().c_str());
	}
	Waiting(const Waiting&) = delete;
	Waiting& operator=(const Waiting&) = delete;

	void end()
	{
		if (pid_ > 0 && !ended_) {
			::kill(pid_, SIGKILL);
			::waitpid(pid_, nullptr, 0);
		}
		ended_ = true;
	}
	std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }
	std::string map() const { return "/tmp/perf-" + std::to_string(pid_) + ".map"; }

private:
	pid_t pid_ = -1;
	bool ended_ = false;
};

std::string text_of(CodeNotes& notes)
{
	std::string text(100, '\0');
	const auto got = notes.read({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
	REQUIRE(got);
	text.resize(*got);
	return text;
}

} // namespace

TEST_CASE("a perf map is read after its process has ended, if it was found before")
{
	Waiting process;
	const auto found = SystemGeneratedCode().process(process.pid());
	REQUIRE(found);
	CHECK((*found)->perf_map().error().code == ENOENT);
	CHECK_FALSE((*found)->has_ended());
	std::ofstream(process.map()) << "1000 10 f\n";
	process.end();
	CHECK((*found)->has_ended());
	const auto map = (*found)->perf_map();
	REQUIRE(map);
	CHECK((*map)->path() == process.map());
	CHECK(text_of(**map) == "1000 10 f\n");
	CHECK(text_of(**map).empty());
	CHECK(SystemGeneratedCode().process(process.pid()).error().code == ESRCH);
}

TEST_CASE("a jitdump is found by its mapping, and read after the process has ended")
{
	TemporaryFolder folder;
	Waiting process(folder.path);
	const auto found = SystemGeneratedCode().process(process.pid());
	REQUIRE(found);
	process.end();
	const auto dump = (*found)->jitdump();
	REQUIRE(dump);
	REQUIRE(*dump);
	CHECK((*dump)->path() == folder.at(("jit-" + std::to_string(process.pid()) + ".dump").c_str()));
	CHECK(text_of(**dump) == "dump");
	CHECK(text_of(**(*found)->jitdump()) == "dump");
}

TEST_CASE("a process that has mapped no jitdump has none")
{
	Waiting process;
	const auto found = SystemGeneratedCode().process(process.pid());
	REQUIRE(found);
	const auto dump = (*found)->jitdump();
	REQUIRE(dump);
	CHECK_FALSE(*dump);
}

TEST_CASE("a perf map that is a link, a FIFO, or another user's is not read")
{
	Waiting process;
	const auto found = SystemGeneratedCode().process(process.pid());
	REQUIRE(found);
	const std::string map = process.map();
	SECTION("a link")
	{
		REQUIRE(::symlink("/etc/hostname", map.c_str()) == 0);
		CHECK((*found)->perf_map().error().code == ELOOP);
	}
	SECTION("a FIFO")
	{
		REQUIRE(::mkfifo(map.c_str(), 0600) == 0);
		CHECK((*found)->perf_map().error().message == map + ": not a regular file");
	}
	SECTION("another user's")
	{
		std::ofstream(map) << "1000 10 f\n";
		if (::chown(map.c_str(), 12345, 12345) < 0)
			return; // only root may
		CHECK((*found)->perf_map().error().code == EPERM);
	}
}

TEST_CASE("both clocks and the processor's go on")
{
	SystemGeneratedCode code;
	const ClockReading one = code.clocks(), other = code.clocks();
	CHECK(other.boottime_ns >= one.boottime_ns);
	CHECK(other.monotonic_ns >= one.monotonic_ns);
	CHECK(other.cycles > one.cycles);
	CHECK(one.boottime_ns >= one.monotonic_ns);
}
