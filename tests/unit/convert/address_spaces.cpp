// SPDX-License-Identifier: GPL-2.0
// What the processes of a recording map, from record to record.
#include <catch2/catch.hpp>

#include "convert/address_spaces.h"

using namespace uwind;

namespace {

PerfMapping mapping(std::uint32_t pid, std::uint64_t start, std::uint64_t end, const char* path)
{
	PerfMapping record;
	record.pid = record.tid = pid;
	record.mapping = {start, end, 0x1000, 8, 1, 1, path};
	return record;
}

PerfFork fork_of(std::uint32_t parent, std::uint32_t pid)
{
	PerfFork record;
	record.pid = record.tid = pid;
	record.parent = parent;
	record.time_ns = 50;
	return record;
}

PerfName exec_of(std::uint32_t pid, const char* comm)
{
	PerfName record;
	record.pid = record.tid = pid;
	record.comm = comm;
	record.exec = true;
	return record;
}

PerfExit exit_of(std::uint32_t pid, std::uint32_t tid)
{
	PerfExit record;
	record.pid = pid;
	record.tid = tid;
	return record;
}

// "START-END@PGOFF PATH" of each.
std::vector<std::string> text_of(AddressSpaces& spaces, std::uint32_t pid)
{
	std::vector<std::string> text;
	for (const auto& [start, one] : *spaces.of(pid)->code) {
		char line[128];
		std::snprintf(line, sizeof(line), "%llx-%llx@%llx %s",
			      static_cast<unsigned long long>(one.mapping.start),
			      static_cast<unsigned long long>(one.mapping.end),
			      static_cast<unsigned long long>(one.mapping.pgoff), one.mapping.path.c_str());
		text.emplace_back(line);
	}
	return text;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("a new mapping takes the place of what was there")
{
	AddressSpaces spaces;
	spaces.take(mapping(1, 0x10000, 0x20000, "/a"));
	SECTION("in its midst")
	{
		spaces.take(mapping(1, 0x14000, 0x18000, "/b"));
		CHECK(text_of(spaces, 1) == Lines{"10000-14000@1000 /a", "14000-18000@1000 /b", "18000-20000@9000 /a"});
	}
	SECTION("at its begin")
	{
		spaces.take(mapping(1, 0x8000, 0x14000, "/b"));
		CHECK(text_of(spaces, 1) == Lines{"8000-14000@1000 /b", "14000-20000@5000 /a"});
	}
	SECTION("at its end")
	{
		spaces.take(mapping(1, 0x18000, 0x28000, "/b"));
		CHECK(text_of(spaces, 1) == Lines{"10000-18000@1000 /a", "18000-28000@1000 /b"});
	}
	SECTION("over all of it and more")
	{
		spaces.take(mapping(1, 0x28000, 0x30000, "/c"));
		spaces.take(mapping(1, 0x8000, 0x2a000, "/b"));
		CHECK(text_of(spaces, 1) == Lines{"8000-2a000@1000 /b", "2a000-30000@3000 /c"});
	}
	SECTION("also where it cannot be executed")
	{
		PerfMapping data = mapping(1, 0x10000, 0x18000, "/b");
		data.executable = false;
		spaces.take(data);
		CHECK(text_of(spaces, 1) == Lines{"18000-20000@9000 /a"});
	}
	SECTION("but not beside it")
	{
		spaces.take(mapping(1, 0x20000, 0x21000, "/b"));
		CHECK(text_of(spaces, 1) == Lines{"10000-20000@1000 /a", "20000-21000@1000 /b"});
	}
}

TEST_CASE("a mapping is found by any of its addresses, and by no other")
{
	AddressSpaces spaces;
	spaces.take(mapping(1, 0x10000, 0x20000, "/a"));
	RecordedCode& code = *spaces.of(1)->code;
	CHECK(mapping_at(code, 0x10000));
	CHECK(mapping_at(code, 0x1ffff));
	CHECK_FALSE(mapping_at(code, 0xffff));
	CHECK_FALSE(mapping_at(code, 0x20000));
}

TEST_CASE("a child has what its parent had, until one of them changes it")
{
	AddressSpaces spaces;
	spaces.take(mapping(1, 0x10000, 0x20000, "/a"));
	spaces.take(fork_of(1, 2));
	CHECK(spaces.of(2)->exe == "/a");
	CHECK(spaces.of(2)->start_time_ns == 50);
	spaces.take(mapping(2, 0x30000, 0x40000, "/b"));
	spaces.take(mapping(1, 0x50000, 0x60000, "/c"));
	CHECK(text_of(spaces, 1) == Lines{"10000-20000@1000 /a", "50000-60000@1000 /c"});
	CHECK(text_of(spaces, 2) == Lines{"10000-20000@1000 /a", "30000-40000@1000 /b"});
}

TEST_CASE("an exec begins with nothing")
{
	AddressSpaces spaces;
	spaces.take(mapping(1, 0x10000, 0x20000, "/a"));
	spaces.take(exec_of(1, "b"));
	CHECK(text_of(spaces, 1).empty());
	CHECK(spaces.of(1)->exec_id == 1);
	spaces.take(mapping(1, 0x10000, 0x20000, "/b"));
	CHECK(spaces.of(1)->exe == "/b");
	CHECK(spaces.of(1)->comm == "b");
}

TEST_CASE("of a process that was there before, a fork tells nothing")
{
	AddressSpaces spaces;
	spaces.take(mapping(1, 0x10000, 0x20000, "/a"));
	PerfFork before = fork_of(1, 2);
	before.before = true;
	spaces.take(before);
	CHECK(text_of(spaces, 2).empty());
	CHECK(spaces.of(2)->start_time_ns == 0);
}

TEST_CASE("a thread's name is not its process's, and its end not that one's")
{
	AddressSpaces spaces;
	PerfName name = exec_of(1, "program");
	spaces.take(name);
	name.tid = 5;
	name.exec = false;
	name.comm = "thread";
	spaces.take(name);
	CHECK(spaces.of(1)->comm == "program");
}

TEST_CASE("what has exited is known for a while, and its number may be used again")
{
	AddressSpaces spaces({100, 100, 1});
	spaces.take(mapping(1, 0x10000, 0x20000, "/a"));
	spaces.take(mapping(2, 0x10000, 0x20000, "/b"));
	spaces.take(exit_of(1, 9)); // a thread
	spaces.take(exit_of(1, 1));
	CHECK(text_of(spaces, 1).size() == 1);
	SECTION("then forgotten")
	{
		spaces.take(exit_of(2, 2));
		CHECK(text_of(spaces, 1).empty());
		CHECK(text_of(spaces, 2).size() == 1);
	}
	SECTION("but not another one with that number")
	{
		spaces.take(fork_of(2, 1));
		spaces.take(exit_of(2, 2));
		CHECK(text_of(spaces, 1) == Lines{"10000-20000@1000 /b"});
	}
}

TEST_CASE("beyond the limits of processes and mappings, records are left out and counted")
{
	AddressSpaces spaces({2, 4, 1});
	spaces.take(mapping(1, 0x10000, 0x20000, "/a"));
	spaces.take(mapping(1, 0x20000, 0x30000, "/a"));
	spaces.take(mapping(1, 0x30000, 0x40000, "/a"));
	CHECK(spaces.not_kept() == 0);
	spaces.take(mapping(1, 0x40000, 0x50000, "/a"));
	CHECK(spaces.not_kept() == 1);
	CHECK(text_of(spaces, 1).size() == 3);
	CHECK(spaces.of(2));
	CHECK_FALSE(spaces.of(3));
	CHECK(spaces.not_kept() == 2);
}
