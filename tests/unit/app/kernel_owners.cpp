// SPDX-License-Identifier: GPL-2.0
// Following whose kernel code is where.
#include <catch2/catch.hpp>

#include "app/kernel_owners.h"
#include "unit/app/kernel_events.h"
#include "unit/fake_machine.h"

using namespace uwind;

namespace {

struct Owners {
	FakeKernelRegions regions;
	FakeKernelNames names;
	FakeClock clock;
	KernelOwners owners{regions, names, clock};

	std::string symbol_at(std::uint64_t address, std::uint64_t time_ns)
	{
		const auto& timeline = owners.timeline();
		const auto name = timeline.name_of(timeline.owner_at(address, time_ns), address);
		return name ? name->name.symbol : "none";
	}
};

} // namespace

TEST_CASE("what is there at the beginning is remembered with its symbols")
{
	Owners f;
	f.regions.regions = {module_region("module", 0x1000), program_region("program", 0x5000)};
	f.regions.contents = {{"module", "abcd", symbols_of({{0x1000, "function"}})}};
	f.owners.begin();
	CHECK(f.regions.watched);
	f.regions.events = {goes(10, module_region("module", 0x1000)), goes(10, program_region("program", 0x5000))};
	f.owners.catch_up();
	CHECK(f.symbol_at(0x1000, 5) == "function");
	CHECK(f.symbol_at(0x5000, 5) == "program");
	CHECK(f.symbol_at(0x1000, 10) == "none");
}

TEST_CASE("a module that comes has its symbols read at once, and its build-id when it settles")
{
	Owners f;
	f.owners.begin();
	f.regions.contents = {{"module", "", symbols_of({{0x1000, "function"}})}};
	f.names.build_ids["module"] = "ef01";
	f.regions.events = {comes(10, module_region("module", 0x1000))};
	f.owners.catch_up();
	f.regions.contents.clear();
	f.regions.events = {{KernelRegionChange::settles, 20, module_region("module", 0x1000)},
			    goes(30, module_region("module", 0x1000))};
	f.owners.catch_up();
	CHECK(f.symbol_at(0x1004, 12) == "function");
	const auto& timeline = f.owners.timeline();
	CHECK(timeline.name_of(timeline.owner_at(0x1004, 12), 0x1004)->module.build_id == "ef01");
	CHECK(f.owners.counts().at("kernel_modules_unread") == 0);
}

TEST_CASE("a module that was gone before its symbols were read is counted")
{
	Owners f;
	f.owners.begin();
	f.regions.events = {comes(10, module_region("module", 0x1000)), goes(20, module_region("module", 0x1000))};
	f.owners.catch_up();
	CHECK(f.symbol_at(0x1004, 12).empty());
	CHECK(f.owners.counts().at("kernel_modules_unread") == 1);
}

TEST_CASE("nothing is watched or has an owner before the beginning")
{
	Owners f;
	f.regions.events = {comes(10, module_region("module", 0x1000))};
	f.owners.catch_up();
	CHECK_FALSE(f.regions.watched);
	CHECK(f.symbol_at(0x1000, 20) == "none");
	CHECK(f.regions.events.size() == 1);
}

TEST_CASE("what cannot be watched is named")
{
	Owners f;
	f.regions.unwatched = {{"modules", "an older module"}};
	f.owners.begin();
	REQUIRE(f.owners.unwatched().size() == 1);
	CHECK(f.owners.unwatched()[0].kind == "modules");
}
