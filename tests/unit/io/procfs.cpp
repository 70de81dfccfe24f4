// SPDX-License-Identifier: GPL-2.0
// /proc: maps lines, and what can be asked about this very process.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/clock.h"
#include "io/maps.h"
#include "io/procfs.h"
#include "unit/skipped.h"

using namespace uwind;

namespace {

const Mapping* mapping_of(const std::vector<Mapping>& mappings, const void* address)
{
	const auto pc = reinterpret_cast<std::uintptr_t>(address);
	const auto found = std::find_if(mappings.begin(), mappings.end(), [pc](const Mapping& mapping) {
		return pc >= mapping.start && pc < mapping.end;
	});
	return found == mappings.end() ? nullptr : &*found;
}

// A file of one page, mapped executable.
struct MappedFile {
	char path[32] = "/tmp/uwind-test-XXXXXX";
	UniqueFd fd{::mkstemp(path)};
	void* text;

	MappedFile()
	{
		REQUIRE(::ftruncate(fd.get(), 4096) == 0);
		text = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd.get(), 0);
		REQUIRE(text != MAP_FAILED);
	}
	~MappedFile()
	{
		::munmap(text, 4096);
		::unlink(path);
	}
};

} // namespace

TEST_CASE("a maps line of executable text is a mapping")
{
	const auto mapping = parse_maps_line(
		"7f0000001000-7f0000003000 r-xp 00002000 fd:0a 1234567                    /usr/lib/a b.so");
	REQUIRE(mapping);
	CHECK(mapping->start == 0x7f0000001000);
	CHECK(mapping->end == 0x7f0000003000);
	CHECK(mapping->pgoff == 0x2000);
	CHECK(mapping->dev_major == 0xfd);
	CHECK(mapping->dev_minor == 0x0a);
	CHECK(mapping->inode == 1234567);
	CHECK(mapping->path == "/usr/lib/a b.so");
}

TEST_CASE("a deleted file's path is without the note, a newline in it is a newline")
{
	CHECK(parse_maps_line("1000-2000 r-xp 0 8:1 5 /tmp/a (deleted)")->path == "/tmp/a");
	CHECK(parse_maps_line("1000-2000 r-xp 0 8:1 5 /tmp/a\\012b\\01")->path == "/tmp/a\nb\\01");
}

TEST_CASE("maps lines without executable file contents are no mappings")
{
	const char* line =
		GENERATE("1000-2000 r--p 0 8:1 5 /bin/a", "1000-2000 r-xp 0 00:00 0 [vdso]", "1000-2000 rwxp 0 00:00 0",
			 "", "nonsense", "1000-2000", "1000-2000 r-xp", "1000-2000 rx 0 8:1 5",
			 "1000-zzzz r-xp 0 8:1 5 /a", "- - - - -", "10000000000000000-2 r-xp 0 8:1 5 /a");
	CHECK_FALSE(parse_maps_line(line));
}

TEST_CASE("the start time is found behind any name")
{
	std::string rest = ") S";
	for (int field = 4; field <= 21; field++)
		rest += " 1";
	CHECK(start_ticks_in("12 (a b" + rest + " 4711 9") == 4711u);
	CHECK(start_ticks_in("12 (a) S 1) (b" + rest + " 4711") == 4711u);
	CHECK_FALSE(start_ticks_in("12 (a" + rest));
	CHECK_FALSE(start_ticks_in(""));
}

TEST_CASE("paths are those that a process with a root of its own sees", "[procfs]")
{
	CHECK(below_root("/srv/other/usr/bin/perl", "/srv/other") == "/usr/bin/perl");
	CHECK(below_root("/srv/others/perl", "/srv/other") == "/srv/others/perl");
	CHECK(below_root("/usr/bin/perl", "/") == "/usr/bin/perl");
	CHECK(below_root("/usr/bin/perl", "") == "/usr/bin/perl"); // unknown
	CHECK(below_root("[vdso]", "/srv/other") == "[vdso]");
}

TEST_CASE("this process is among the processes, with its program and start time")
{
	Procfs procfs;
	const auto pid = static_cast<std::uint32_t>(::getpid());
	const auto pids = procfs.pids();
	CHECK(std::find(pids.begin(), pids.end(), pid) != pids.end());
	const auto facts = procfs.describe(pid);
	REQUIRE(facts);
	CHECK(facts->exe.ends_with("unit_tests"));
	CHECK(facts->start_time_ns % start_tick_ns == 0);
	CHECK(facts->start_time_ns < SystemClock().boottime_ns());
	REQUIRE(::prctl(PR_SET_NAME, "a) (b\nc") == 0);
	CHECK(procfs.describe(pid)->comm == "a) (b");
	REQUIRE(::prctl(PR_SET_NAME, facts->comm.c_str()) == 0);
	CHECK(procfs.describe(pid)->comm == facts->comm);
	CHECK_FALSE(procfs.describe(0x7ffffffe));
	CHECK_FALSE(procfs.mappings(0x7ffffffe));
}

TEST_CASE("a mapped file is opened even after it was deleted, or another took its path")
{
	Procfs procfs;
	MappedFile file;
	const auto pid = static_cast<std::uint32_t>(::getpid());
	const auto mappings = procfs.mappings(pid);
	REQUIRE(mappings);
	const Mapping* mapping = mapping_of(*mappings, file.text);
	REQUIRE(mapping);
	CHECK(mapping->path == file.path);
	const auto before = procfs.open_mapped(pid, *mapping);
	REQUIRE(before);
	CHECK(before->identity.inode == mapping->inode);
	CHECK(before->identity.bytes == 4096);
	if (::access("/proc/self/map_files", X_OK) == 0 && ::geteuid() == 0) {
		::unlink(file.path);
		std::ofstream(file.path) << "another";
		const auto after = procfs.open_mapped(pid, *mapping);
		REQUIRE(after);
		CHECK(after->identity.inode == before->identity.inode);
	}
}

TEST_CASE("a path that leads to another file by now is refused")
{
	Procfs procfs;
	MappedFile file;
	Mapping mapping = *mapping_of(*procfs.mappings(::getpid()), file.text);
	mapping.start = mapping.end = 0; // no such mapping: only the path is left
	mapping.inode++;
	const auto opened = procfs.open_mapped(::getpid(), mapping);
	REQUIRE_FALSE(opened);
	CHECK(opened.error().code == ESTALE);
	mapping.inode--;
	CHECK(procfs.open_mapped(::getpid(), mapping));
	CHECK(procfs.open_mapped(0x7ffffffe, mapping)); // the process is gone
	mapping.dev_minor++;
	CHECK_FALSE(procfs.open_mapped(::getpid(), mapping));
}

TEST_CASE("only regular files are opened")
{
	Procfs procfs;
	CHECK_FALSE(procfs.open_path("/dev/null"));
	CHECK_FALSE(procfs.open_path("/tmp"));
	CHECK_FALSE(procfs.open_path("/nonexistent"));
}

TEST_CASE("an opened file's path is the one where it lies")
{
	char own[4096] = "";
	REQUIRE(::readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	const auto file = Procfs().open_path("/proc/self/exe");
	REQUIRE(file);
	CHECK(file->path == own);
}

TEST_CASE("the vDSO becomes an ELF file")
{
	auto fd = Procfs().open_vdso();
	if (!fd && !skipped("this kernel has no vDSO"))
		return;
	char magic[4] = "";
	CHECK(::pread(fd->get(), magic, 4, 0) == 4);
	CHECK(std::string(magic, 4) == "\x7f"
				       "ELF");
}
