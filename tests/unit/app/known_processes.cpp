// SPDX-License-Identifier: GPL-2.0
// What was told of processes' lives.
#include <catch2/catch.hpp>

#include "app/known_processes.h"

using namespace uwind;

namespace {

template <typename T>
T event(const ProcessImage& image, std::uint64_t time_ns = 0)
{
	T result;
	result.image = image;
	result.time_ns = time_ns;
	return result;
}

ProcessExecuted executed(const ProcessImage& image, const std::string& exe)
{
	auto result = event<ProcessExecuted>(image);
	result.parent_pid = 1;
	result.namespace_pid = 7;
	result.comm = "name";
	result.arguments = {exe, "-v"};
	result.exe = exe;
	result.cgroup = "/machine-web.scope";
	return result;
}

ProcessForked forked(const ProcessImage& image, const ProcessImage& parent)
{
	auto result = event<ProcessForked>(image);
	result.parent = parent;
	result.namespace_pid = 8;
	result.comm = "child";
	return result;
}

} // namespace

TEST_CASE("a process is known from its exec on, also when it is over")
{
	KnownProcesses known;
	known.take(executed({5, 100, 2}, "/bin/a"));
	known.take(event<ProcessExited>({5, 100, 2}, 200));
	const auto process = known.find({5, 100, 2});
	REQUIRE(process);
	CHECK(process->exe == "/bin/a");
	CHECK(process->comm == "name");
	CHECK(process->details == ProcessDetails{1, 7, {"/bin/a", "-v"}, "/machine-web.scope", "web"});
	CHECK(process->exited_ns == 200);
}

TEST_CASE("another process of the same number, or another exec, is another")
{
	KnownProcesses known;
	known.take(executed({5, 100, 2}, "/bin/a"));
	CHECK_FALSE(known.find({5, 101, 2}));
	CHECK_FALSE(known.find({5, 100, 1}));
	known.take(executed({5, 100, 3}, "/bin/b"));
	CHECK(known.find({5, 100, 2})->exe == "/bin/a");
	CHECK(known.find({5, 100, 3})->exe == "/bin/b");
}

TEST_CASE("a child has its parent's program, and its own name, numbers and end")
{
	KnownProcesses known;
	known.take(executed({5, 100, 2}, "/bin/a"));
	known.take(event<ProcessExited>({5, 100, 2}, 200));
	known.take(forked({6, 150, 2}, {5, 100, 2}));
	const auto child = known.find({6, 150, 2});
	REQUIRE(child);
	CHECK(child->exe == "/bin/a");
	CHECK(child->comm == "child");
	CHECK(child->details.parent_pid == 5);
	CHECK(child->details.namespace_pid == 8);
	CHECK(child->details.container == "web");
	CHECK_FALSE(child->exited_ns);
}

TEST_CASE("a child of an unknown parent has at least its own")
{
	KnownProcesses known;
	known.take(forked({6, 150, 2}, {5, 100, 2}));
	CHECK(known.find({6, 150, 2})->exe == "");
	CHECK(known.find({6, 150, 2})->details.parent_pid == 5);
}

TEST_CASE("a new name replaces the old one; nobody is known by a name alone")
{
	KnownProcesses known;
	auto renamed = event<ProcessRenamed>({5, 100, 2});
	renamed.comm = "new";
	known.take(renamed);
	CHECK_FALSE(known.find({5, 100, 2}));
	known.take(executed({5, 100, 2}, "/bin/a"));
	known.take(renamed);
	CHECK(known.find({5, 100, 2})->comm == "new");
}

TEST_CASE("of those that are over the oldest are forgotten, not those that live")
{
	KnownProcesses known;
	known.take(executed({1, 1, 1}, "/bin/lives"));
	for (std::uint32_t pid = 2; pid < 4 + KnownProcesses::max_over; pid++) {
		known.take(executed({pid, pid, 1}, "/bin/a"));
		known.take(event<ProcessExited>({pid, pid, 1}));
	}
	CHECK(known.find({1, 1, 1}));
	CHECK_FALSE(known.find({2, 2, 1}));
	CHECK_FALSE(known.find({3, 3, 1}));
	CHECK(known.find({4, 4, 1}));
}

TEST_CASE("an image that became another by exec is over")
{
	KnownProcesses known;
	for (std::uint64_t exec = 1; exec < 4 + KnownProcesses::max_over; exec++)
		known.take(executed({1, 1, exec}, "/bin/a"));
	CHECK_FALSE(known.find({1, 1, 1}));
	CHECK(known.find({1, 1, 3 + KnownProcesses::max_over}));
}

TEST_CASE("beyond the limit processes are counted, not kept")
{
	KnownProcesses known;
	for (std::uint32_t pid = 1; pid <= 2 + KnownProcesses::max_images; pid++)
		known.add({pid, 1, 1}, {});
	CHECK(known.not_kept() == 2);
	CHECK_FALSE(known.find({2 + KnownProcesses::max_images, 1, 1}));
}
