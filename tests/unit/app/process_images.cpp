// SPDX-License-Identifier: GPL-2.0
// The processes that samples are of: how often /proc is asked about them.
#include <catch2/catch.hpp>

#include "app/process_images.h"
#include "unit/app/reported.h"

using namespace uwind;

namespace {

struct Asked {
	ThreadRecord thread(std::uint32_t pid)
	{
		processes.facts_[pid] = {"/bin/prog", "prog", start_tick_ns};
		processes.details_[pid].arguments = {"prog", "-x"};
		ThreadRecord thread;
		thread.tid = thread.tgid = pid;
		thread.start_time_ns = start_tick_ns + 1;
		return thread;
	}

	std::string exe_of(const ThreadRecord& thread)
	{
		images.of(thread, 1);
		return images.take().at(0).exe;
	}

	FakeFiles files;
	FakeProcesses processes{files};
	const KnownProcesses known = {};
	ProcessImages images{processes, known, 10};
};

} // namespace

TEST_CASE("/proc is asked once about a process, however many reports have it")
{
	Asked f;
	const auto thread = f.thread(1);
	CHECK(f.exe_of(thread) == "/bin/prog");
	f.processes.facts_.clear();
	f.images.of(thread, 1);
	const auto again = f.images.take();
	REQUIRE(again.size() == 1);
	CHECK(again[0].exe == "/bin/prog");
	CHECK(again[0].details.arguments == std::vector<std::string>{"prog", "-x"});
}

TEST_CASE("another program in the same process is asked about by itself")
{
	Asked f;
	auto thread = f.thread(1);
	CHECK(f.exe_of(thread) == "/bin/prog");
	f.processes.facts_[1].exe = "/bin/next";
	thread.exec_id++;
	CHECK(f.exe_of(thread) == "/bin/next");
}

TEST_CASE("a process about which /proc said nothing is asked about again")
{
	Asked f;
	const auto thread = f.thread(1);
	const auto facts = std::exchange(f.processes.facts_, {});
	CHECK(f.exe_of(thread).empty());
	f.processes.facts_ = facts;
	CHECK(f.exe_of(thread) == "/bin/prog");
}

TEST_CASE("of more processes than are remembered the first are asked about again")
{
	Asked f;
	const auto first = f.thread(1);
	CHECK(f.exe_of(first) == "/bin/prog");
	for (std::uint32_t pid = 2; pid < 1 + ProcessImages::max_asked; pid++)
		CHECK(f.exe_of(f.thread(pid)) == "/bin/prog");
	f.processes.facts_.clear();
	CHECK(f.exe_of(first) == "/bin/prog");
	CHECK(f.exe_of(f.thread(1 + ProcessImages::max_asked)) == "/bin/prog");
	f.processes.facts_.clear();
	CHECK(f.exe_of(first).empty());
}
