// SPDX-License-Identifier: GPL-2.0
// Records of processes' lives.
#include <catch2/catch.hpp>

#include <cstring>

#include "bpf/life_record.h"
#include "io/life_records.h"

using namespace uwind;

namespace {

template <typename T>
T raw_record(std::uint32_t kind)
{
	T raw{};
	raw.head = {kind, 5, 1000, 100, 2};
	return raw;
}

template <typename T>
Bytes bytes_of(const T& raw)
{
	return {reinterpret_cast<const std::uint8_t*>(&raw), sizeof(raw)};
}

// As the kernel writes them: the last one first.
void set_path(life_path& path, std::string_view names, bool is_whole = true)
{
	std::memcpy(path.names, names.data(), names.size());
	path.bytes = static_cast<std::uint32_t>(names.size());
	path.is_whole = is_whole;
}

using namespace std::literals;

} // namespace

TEST_CASE("an exec tells what a process is and where it runs")
{
	auto raw = raw_record<life_exec>(LIFE_EXEC);
	raw.parent_tgid = 1;
	raw.ns_pid = 7;
	raw.mount_namespace = 9;
	std::memcpy(raw.comm, "sixteen letters!", sizeof(raw.comm));
	std::memcpy(raw.arguments, "a\0\0-v\0", 6);
	raw.argument_bytes = 6;
	set_path(raw.exe, "cat\0bin\0usr\0"sv);
	set_path(raw.cgroup, ""sv);
	const auto record = life_record_in(bytes_of(raw));
	REQUIRE(record);
	const auto& told = std::get<ProcessExecuted>(*record);
	CHECK(told.image == ProcessImage{5, 100, 2});
	CHECK(told.time_ns == 1000);
	CHECK(told.parent_pid == 1);
	CHECK(told.namespace_pid == 7);
	CHECK(told.mount_namespace == 9);
	CHECK(told.comm == "sixteen letters!");
	CHECK(told.arguments == std::vector<std::string>{"a", "", "-v"});
	CHECK(told.exe == "/usr/bin/cat");
	CHECK(told.cgroup == "/");
}

TEST_CASE("a fork, an exit and a new name are told")
{
	auto fork = raw_record<life_fork>(LIFE_FORK);
	fork.parent_tgid = 4;
	fork.parent_start_ns = 50;
	fork.parent_exec_id = 2;
	std::strcpy(fork.comm, "child");
	const auto forked = std::get<ProcessForked>(*life_record_in(bytes_of(fork)));
	CHECK(forked.parent == ProcessImage{4, 50, 2});
	CHECK(forked.comm == "child");

	const auto exit = raw_record<life_exit>(LIFE_EXIT);
	CHECK(std::get<ProcessExited>(*life_record_in(bytes_of(exit))).time_ns == 1000);

	auto comm = raw_record<life_comm>(LIFE_COMM);
	std::strcpy(comm.comm, "new");
	CHECK(std::get<ProcessRenamed>(*life_record_in(bytes_of(comm))).comm == "new");
}

TEST_CASE("a file is mapped")
{
	auto raw = raw_record<life_map>(LIFE_MAP);
	raw.start = 0x1000;
	raw.end = 0x3000;
	raw.offset = 0x2000;
	raw.inode = 77;
	raw.dev_major = 8;
	raw.dev_minor = 1;
	set_path(raw.path, "libc.so.6\0lib\0"sv);
	const auto mapping = std::get<FileMapped>(*life_record_in(bytes_of(raw))).mapping;
	CHECK(mapping.start == 0x1000);
	CHECK(mapping.end == 0x3000);
	CHECK(mapping.pgoff == 0x2000);
	CHECK(mapping.inode == 77);
	CHECK(mapping.dev_major == 8);
	CHECK(mapping.dev_minor == 1);
	CHECK(mapping.path == "/lib/libc.so.6");
}

TEST_CASE("a file in no folder has its own name; a path that was cut off is none")
{
	auto raw = raw_record<life_map>(LIFE_MAP);
	set_path(raw.path, "memfd:jit\0"sv, false);
	CHECK(std::get<FileMapped>(*life_record_in(bytes_of(raw))).mapping.path == "/memfd:jit");
	set_path(raw.path, "c\0b\0"sv, false);
	CHECK(std::get<FileMapped>(*life_record_in(bytes_of(raw))).mapping.path == "");
}

TEST_CASE("lengths that do not fit are not believed")
{
	auto exec = raw_record<life_exec>(LIFE_EXEC);
	exec.argument_bytes = sizeof(exec.arguments) + 1;
	exec.exe.bytes = sizeof(exec.exe.names) + 1;
	exec.exe.is_whole = 1;
	const auto told = std::get<ProcessExecuted>(*life_record_in(bytes_of(exec)));
	CHECK(told.arguments.empty());
	CHECK(told.exe == "");
}

TEST_CASE("what is too short, or of no known kind, is no record")
{
	const auto kind = GENERATE(LIFE_FORK, LIFE_EXEC, LIFE_EXIT, LIFE_COMM, LIFE_MAP);
	const auto exec = raw_record<life_exec>(kind);
	CHECK(life_record_in(bytes_of(exec)));
	CHECK_FALSE(life_record_in(bytes_of(exec).first(sizeof(life_head) - 1)));
	if (kind != LIFE_EXIT)
		CHECK_FALSE(life_record_in(bytes_of(exec).first(sizeof(life_head))));
	const auto unknown = raw_record<life_exit>(99);
	CHECK_FALSE(life_record_in(bytes_of(unknown)));
}
