// SPDX-License-Identifier: GPL-2.0
// Names of the recorded kernel's code: only of a kernel that is the one that runs here.
#include <catch2/catch.hpp>

#include "convert/recorded_kernel.h"
#include "unit/fake_machine.h"

using namespace uwind;

namespace {

constexpr std::uint64_t start = FakeKernelNames::start, moved = 0x3000000;

PerfHeader header_with(const std::string& build_id)
{
	PerfHeader header;
	header.release = "6.1";
	if (!build_id.empty())
		header.build_ids = {{"[kernel.kallsyms]", build_id, true}};
	return header;
}

// The kernel as it lay when it was recorded.
PerfMapping kernel_mapping(std::uint64_t text)
{
	PerfMapping record;
	record.kernel = true;
	record.mapping.start = text;
	record.mapping.end = ~0ull;
	record.mapping.pgoff = text;
	record.mapping.path = "[kernel.kallsyms]_text";
	return record;
}

PerfMapping module_mapping(std::uint64_t address, const char* path)
{
	PerfMapping record;
	record.kernel = true;
	record.mapping.start = address;
	record.mapping.end = address + 0x4000;
	record.mapping.path = path;
	return record;
}

} // namespace

TEST_CASE("a kernel with the same build-id names its code wherever it lay")
{
	FakeKernelNames ours;
	RecordedKernel kernel(ours, "other", header_with("abcd"));
	kernel.take(kernel_mapping(start + moved));
	const auto names = kernel.find({start + moved + 0x1234, 0x1000});
	REQUIRE(names.size() == 2);
	REQUIRE(names[0]);
	CHECK(names[0]->symbol == "function_" + hex((start + 0x1234) >> 12));
	CHECK(names[0]->offset == 0x234);
	CHECK_FALSE(names[1]);
	CHECK(kernel.module("").build_id == "abcd");
}

TEST_CASE("another kernel, or one that does not say where it lay, has no names")
{
	FakeKernelNames ours;
	RecordedKernel other(ours, "6.1", header_with("1234"));
	other.take(kernel_mapping(start));
	CHECK_FALSE(other.find({start})[0]);
	CHECK(other.module("").build_id == "1234");
	RecordedKernel nowhere(ours, "6.1", header_with("abcd"));
	CHECK_FALSE(nowhere.find({start})[0]);
}

TEST_CASE("without a build-id the release decides")
{
	FakeKernelNames ours;
	CHECK(RecordedKernel(ours, "6.1", header_with("")).is_ours());
	CHECK_FALSE(RecordedKernel(ours, "6.2", header_with("")).is_ours());
}

TEST_CASE("a kernel module's code is found where the module lies now")
{
	FakeKernelNames ours;
	RecordedKernel kernel(ours, "6.1", header_with("abcd"));
	constexpr std::uint64_t then = 0xffffffffc0000000;
	kernel.take(module_mapping(then, "/lib/modules/6.1/kernel/net/nf-tables.ko.xz"));
	const auto names = kernel.find({then + 0x1010, then + 0x4000});
	REQUIRE(names[0]);
	CHECK(names[0]->symbol == "function_" + hex((FakeKernelNames::module_start + 0x1010) >> 12));
	CHECK_FALSE(names[1]);
	CHECK(kernel.module("nf_tables").start == then);
}
