// SPDX-License-Identifier: GPL-2.0
// The kernel's deepest stacks: which are shown, how, and what a report keeps of them.
#include <catch2/catch.hpp>
#include <sstream>

#include "app/kernel_stacks.h"
#include "export/json.h"
#include "export/kernel_stacks.h"
#include "export/summary.h"

using namespace uwind;

namespace {

KernelStackFrame frame(std::uint64_t address, std::uint32_t depth, std::uint32_t fixed, std::uint32_t dynamic)
{
	KernelStackFrame frame;
	frame.address = address;
	frame.depth = depth;
	frame.static_bytes = fixed;
	frame.dynamic_bytes = dynamic;
	frame.exact = true;
	return frame;
}

KernelStack stack(std::uint8_t entry, std::uint32_t cpu, std::int32_t tid, std::uint32_t depth, bool of_task = false)
{
	KernelStack stack;
	stack.entry = entry;
	stack.cpu = cpu;
	stack.pid = stack.tid = tid;
	stack.comm = "find";
	stack.depth = depth;
	stack.stack_bytes = 16384;
	stack.of_task = of_task;
	stack.complete = true;
	stack.frames = {frame(0x1001, depth, depth - 100, 16), frame(0x2001, 84, 84, 0)};
	return stack;
}

class Names : public KernelNames {
public:
	std::vector<std::optional<KernelName>> find(const std::vector<std::uint64_t>& addresses) override
	{
		std::vector<std::optional<KernelName>> names;
		for (const std::uint64_t address : addresses)
			names.push_back(KernelName{address < 0x2000 ? "one" : "two", address & 0xfff, ""});
		return names;
	}
	KernelModule module(const std::string&) override { return {}; }
	std::vector<std::uint64_t> addresses_of(const std::vector<std::string>&) override { return {}; }
	std::vector<std::optional<KernelSignature>> signatures(const std::vector<KernelName>&) override { return {}; }
	std::string syscall_name(std::uint32_t, bool) override { return ""; }
};

KernelStacks some()
{
	KernelStacks stacks;
	stacks.counters = {{"entries", 1000}, {"missed_busy", 2}};
	stacks.stacks = {stack(0, 0, 7, 500), stack(0, 1, 8, 900), stack(5, 0, 7, 300), stack(0, 1, 8, 700, true),
			 stack(0, 1, 9, 600, true)};
	return stacks;
}

} // namespace

TEST_CASE("the deepest of each kind of entry, CPU or task is shown, deepest first")
{
	auto stacks = some();
	select_kernel_stacks(stacks, KernelStacksPer::entry, SIZE_MAX);
	REQUIRE(stacks.stacks.size() == 2);
	CHECK((stacks.stacks[0].depth == 900 && stacks.stacks[1].depth == 300));
	stacks = some();
	select_kernel_stacks(stacks, KernelStacksPer::cpu, SIZE_MAX);
	REQUIRE(stacks.stacks.size() == 2);
	CHECK((stacks.stacks[0].depth == 900 && stacks.stacks[1].depth == 500));
	stacks = some();
	select_kernel_stacks(stacks, KernelStacksPer::task, 1);
	REQUIRE(stacks.stacks.size() == 1);
	CHECK((stacks.stacks[0].depth == 700 && stacks.stacks[0].of_task));
}

TEST_CASE("a return address belongs to the call before it, and its offset is its own")
{
	auto stacks = some();
	Names names;
	stacks.stacks[0].frames[0].interrupted = true;
	name_kernel_stacks(stacks, names);
	CHECK(stacks.stacks[0].frames[0].symbol == "one");
	CHECK(stacks.stacks[0].frames[0].symbol_offset == 1);
	CHECK(stacks.stacks[0].frames[1].symbol == "two");
	CHECK(stacks.stacks[0].frames[1].symbol_offset == 1);
}

TEST_CASE("a report keeps kernel stacks as they are, and its summary shows them")
{
	Report report;
	report.host.arch = "arm64";
	report.session.event = "kernel-stacks";
	report.session.rate = 1;
	report.kernel_stacks = some();
	Names names;
	name_kernel_stacks(*report.kernel_stacks, names);
	report.kernel_stacks->stacks[0].frames[0].crosses = true;
	report.kernel_stacks->stacks[0].frames[1].exact = false;
	std::ostringstream json, again;
	write_json(report, json);
	const auto read = read_json(json.str());
	INFO((read ? "" : read.error().message));
	REQUIRE(read);
	write_json(*read, again);
	CHECK(json.str() == again.str());
	std::ostringstream text;
	write_summary(*read, text);
	CHECK(text.str().find("syscall, on the stack of the task: 500 of 16384 bytes; find (7), CPU 0") !=
	      std::string::npos);
	CHECK(text.str().find("(not exact)") != std::string::npos);
	CHECK(text.str().find("     816      800       16  one\n") != std::string::npos);
	CHECK(text.str().find("2 stacks were not looked at") != std::string::npos);
}

TEST_CASE("a word of a kernel stack that is not known is an error with its place")
{
	Report report;
	report.kernel_stacks = some();
	std::ostringstream json;
	write_json(report, json);
	std::string text = json.str();
	text.replace(text.find("\"entry\":\"syscall\""), 17, "\"entry\":\"sysgall\"");
	const auto read = read_json(text);
	REQUIRE(!read);
	CHECK(read.error().message.find("kernel_stacks.stacks[0].entry") != std::string::npos);
}
