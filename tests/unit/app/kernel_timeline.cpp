// SPDX-License-Identifier: GPL-2.0
// Whose kernel code was where when.
#include <catch2/catch.hpp>

#include "unit/app/kernel_events.h"

using namespace uwind;

namespace {

std::string name_at(const KernelTimeline& timeline, std::uint64_t address, std::uint64_t time_ns)
{
	const auto name = timeline.name_of(timeline.owner_at(address, time_ns), address);
	return name ? name->name.module + ":" + name->name.symbol + "+" + std::to_string(name->name.offset) : "";
}

} // namespace

TEST_CASE("an address has the owner of the time, whoever came later")
{
	KernelTimeline timeline;
	for (const auto& event :
	     {comes(10, module_region("first", 0x1000)), goes(20, module_region("first", 0x1000)),
	      comes(30, module_region("second", 0x1000)), goes(40, module_region("second", 0x1000))})
		timeline.add(event);
	CHECK(timeline.owner_at(0x1010, 9) == 0);
	CHECK(name_at(timeline, 0x1010, 10) == "first:+16");
	CHECK(name_at(timeline, 0x1fff, 19) == "first:+4095");
	CHECK(timeline.owner_at(0x2000, 19) == 0);
	CHECK(timeline.owner_at(0x1010, 20) == 0); // nothing runs in a module that has gone
	CHECK(name_at(timeline, 0x1010, 35) == "second:+16");
	CHECK(timeline.owner_at(0x1010, 40) == 0);
}

TEST_CASE("a program that is given back runs on until its place has another owner")
{
	KernelTimeline timeline;
	for (const auto& event : {comes(10, program_region("one", 0x1000)), goes(20, program_region("one", 0x1000)),
				  comes(30, program_region("two", 0x1000))})
		timeline.add(event);
	CHECK(timeline.owner_at(0x1004, 9) == 0);
	CHECK(name_at(timeline, 0x1004, 25) == "bpf:one+4");
	CHECK(name_at(timeline, 0x1004, 30) == "bpf:two+4");
}

TEST_CASE("of several that have gone the last one is meant")
{
	KernelTimeline timeline;
	for (const std::uint64_t at : {10, 20, 30}) {
		const auto region = program_region("program" + std::to_string(at), 0x1000);
		timeline.add(comes(at, region));
		timeline.add(goes(at + 5, region));
	}
	CHECK(name_at(timeline, 0x1000, 28) == "bpf:program20+0");
	CHECK(name_at(timeline, 0x1000, 100) == "bpf:program30+0");
}

TEST_CASE("what was there when watching began may go, whether it was found or not")
{
	KernelTimeline timeline;
	timeline.add(comes(0, module_region("found", 0x1000)));
	timeline.add(comes(5, module_region("found", 0x1000))); // it is said once more
	timeline.add(goes(20, module_region("found", 0x1000)));
	timeline.add(goes(30, module_region("missed", 0x5000)));
	CHECK(name_at(timeline, 0x1000, 1) == "found:+0");
	CHECK(timeline.owner_at(0x1000, 21) == 0);
	CHECK(name_at(timeline, 0x5000, 1) == "missed:+0");
	CHECK(timeline.owner_at(0x5000, 30) == 0);
}

TEST_CASE("a region within another's memory hides it")
{
	KernelTimeline timeline;
	timeline.add(comes(0, module_region("large", 0x10000, 0x10000)));
	timeline.add(comes(10, program_region("small", 0x14000, 0x100)));
	CHECK(name_at(timeline, 0x14010, 5) == "large:+16400");
	CHECK(name_at(timeline, 0x14010, 10) == "bpf:small+16");
	CHECK(name_at(timeline, 0x14100, 10) == "large:+16640");
}

TEST_CASE("the kernel's own code has no owner")
{
	KernelTimeline timeline;
	timeline.set_core(0x1000, 0x3000);
	timeline.add(comes(0, module_region("wrong", 0x2000, 0x2000)));
	CHECK(timeline.owner_at(0x2fff, 5) == 0);
	CHECK(timeline.owner_at(0x3000, 5) != 0);
}

TEST_CASE("a module's symbols are those that it had while it was there")
{
	KernelTimeline timeline;
	const auto region = module_region("module", 0x1000);
	timeline.add(comes(10, region));
	CHECK(timeline.lacks_symbols(region));
	timeline.set_content({"module", "", symbols_of({{0x1000, "begin"}, {0x1100, "middle"}})});
	timeline.set_content({"module", "abcd", nullptr}); // what is known already stays
	CHECK_FALSE(timeline.lacks_symbols(region));
	timeline.add(goes(20, region));
	timeline.add(comes(30, region));
	timeline.set_content({"module", "ef01", symbols_of({{0x1080, "other"}})});
	CHECK(name_at(timeline, 0x1104, 15) == "module:middle+4");
	CHECK(name_at(timeline, 0x10ff, 15) == "module:begin+255");
	CHECK(timeline.name_of(timeline.owner_at(0x1104, 15), 0x1104)->module.build_id == "abcd");
	CHECK(timeline.name_of(timeline.owner_at(0x1104, 15), 0x1104)->module.start == 0x1000);
	CHECK(name_at(timeline, 0x1104, 31) == "module:other+132");
	CHECK(name_at(timeline, 0x1010, 31) == "module:+16");
	CHECK(timeline.name_of(timeline.owner_at(0x1104, 31), 0x1104)->module.build_id == "ef01");
}

TEST_CASE("symbols of a module that lies elsewhere by now are not taken")
{
	KernelTimeline timeline;
	timeline.add(comes(10, module_region("module", 0x1000)));
	timeline.set_content({"module", "", symbols_of({{0x9000, "function"}})});
	CHECK(name_at(timeline, 0x1010, 15) == "module:+16");
}

TEST_CASE("a module's init has its symbols, and its place others afterwards")
{
	KernelTimeline timeline;
	const auto text = module_region("module", 0x8000), init = module_region("module", 0x1000);
	timeline.add(comes(10, text));
	timeline.add(comes(10, init));
	timeline.set_content({"module", "", symbols_of({{0x1000, "init_module"}, {0x8000, "function"}})});
	timeline.add(goes(20, init));
	timeline.add(comes(25, program_region("program", 0x1000)));
	CHECK(name_at(timeline, 0x1010, 15) == "module:init_module+16");
	CHECK(name_at(timeline, 0x8010, 25) == "module:function+16");
	CHECK(name_at(timeline, 0x1010, 25) == "bpf:program+16");
}

TEST_CASE("beyond the limit what has gone first is forgotten, and nothing is taken in that has no room")
{
	KernelTimeline timeline(3);
	for (const std::uint64_t at : {1, 2, 3, 4}) {
		timeline.add(comes(at * 10, program_region("program", at * 0x1000)));
		if (at < 3)
			timeline.add(goes(at * 10 + 5, program_region("program", at * 0x1000)));
	}
	CHECK(timeline.too_many() == 1);
	CHECK(timeline.owner_at(0x1000, 12) == 0);
	CHECK(timeline.owner_at(0x2000, 22) != 0);
	for (const std::uint64_t at : {5, 6})
		timeline.add(comes(at * 10, program_region("program", at * 0x1000)));
	CHECK(timeline.too_many() == 3); // 2 is forgotten, 6 has no room
	CHECK(timeline.owner_at(0x5000, 100) != 0);
	CHECK(timeline.owner_at(0x6000, 100) == 0);
	CHECK_FALSE(timeline.name_of(2, 0x2000));
}

TEST_CASE("regions that are empty or larger than any code are not believed")
{
	KernelTimeline timeline;
	timeline.add(comes(1, module_region("empty", 0x1000, 0)));
	timeline.add(comes(1, module_region("huge", 0x1000, ~std::uint64_t{0})));
	CHECK(timeline.owner_at(0x1000, 5) == 0);
}
