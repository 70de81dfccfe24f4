// SPDX-License-Identifier: GPL-2.0
// Records of kernel stacks as the module writes them.
#include <catch2/catch.hpp>
#include <cstring>

#include "io/kernel_stacks.h"
#include "uwind_kstack.h"

using namespace uwind;

namespace {

template <typename T>
void append(std::vector<std::uint8_t>& to, const T& what)
{
	const auto* bytes = reinterpret_cast<const std::uint8_t*>(&what);
	to.insert(to.end(), bytes, bytes + sizeof(what));
}

std::vector<std::uint8_t> records()
{
	std::vector<std::uint8_t> bytes;
	uwind_kstack_counts counts{};
	counts.head = {sizeof(counts), UWIND_KSTACK_RECORD_COUNTS};
	counts.entries = 5;
	counts.tasks_missed = 6;
	append(bytes, counts);
	uwind_kstack_stack stack{};
	uwind_kstack_frame frame{};
	stack.head = {sizeof(stack) + sizeof(frame), UWIND_KSTACK_RECORD_TASK};
	stack.kind = UWIND_KSTACK_IRQ;
	stack.nr_frames = 1;
	std::memcpy(stack.comm, "sixteen bytes ok", sizeof(stack.comm));
	frame.pc = 0x1234;
	frame.flags = UWIND_KSTACK_EXACT | UWIND_KSTACK_CROSSES;
	frame.ahead_bytes = 48;
	append(bytes, stack);
	append(bytes, frame);
	return bytes;
}

} // namespace

TEST_CASE("counts and stacks are read from the module's records")
{
	KernelStacks stacks;
	const auto bytes = records();
	REQUIRE(add_kernel_stack_records(bytes, stacks));
	CHECK((stacks.counters["entries"] == 5 && stacks.counters["tasks_missed"] == 6));
	REQUIRE(stacks.stacks.size() == 1);
	CHECK((stacks.stacks[0].of_task && stacks.stacks[0].entry == 5 && stacks.stacks[0].comm == "sixteen bytes ok"));
	REQUIRE(stacks.stacks[0].frames.size() == 1);
	const KernelStackFrame& frame = stacks.stacks[0].frames[0];
	CHECK((frame.address == 0x1234 && frame.exact && frame.crosses && !frame.entered && frame.ahead_bytes == 48));
}

TEST_CASE("records that end early are refused, and types that are not known are skipped")
{
	const auto bytes = records();
	const std::size_t first = sizeof(uwind_kstack_counts);
	for (std::size_t length = 1; length < bytes.size(); length++) {
		KernelStacks stacks;
		INFO(length);
		CHECK(bool(add_kernel_stack_records(Bytes(bytes.data(), length), stacks)) == (length == first));
	}
	KernelStacks stacks;
	std::vector<std::uint8_t> later;
	append(later, uwind_kstack_head{8, 99});
	CHECK(add_kernel_stack_records(later, stacks));
	CHECK(stacks.stacks.empty());
}
