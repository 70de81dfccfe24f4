// SPDX-License-Identifier: GPL-2.0
// CPUs that come online are said once.
#include "io/online_cpus.h"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

#include "unit/temporary_folder.h"

using namespace uwind;

using Cpus = std::vector<std::uint32_t>;

namespace {

// The kernel's list, and who looks at it.
struct Machine {
	TemporaryFolder folder;
	const std::string path = folder.at("online");
	OnlineCpus cpus;

	explicit Machine(const char* online, std::chrono::milliseconds patience = std::chrono::milliseconds(0))
	    : cpus(path, patience)
	{
		write(online);
		REQUIRE(cpus.look());
	}
	void write(const char* online) const { std::ofstream(path) << online << '\n'; }
};

} // namespace

TEST_CASE("CPUs that come online are said once, and again when they were offline")
{
	Machine machine("0-1,3");
	CHECK(*machine.cpus.look() == Cpus{0, 1, 3});
	CHECK(machine.cpus.come().empty());
	machine.write("0,2-4");
	CHECK(machine.cpus.come() == Cpus{2, 4});
	CHECK(machine.cpus.come().empty());
	machine.write("0-4");
	CHECK(machine.cpus.come() == Cpus{1});
}

TEST_CASE("a list of CPUs that cannot be read changes nothing")
{
	Machine machine("0");
	machine.write("many");
	CHECK(machine.cpus.come().empty());
	const auto wrong = machine.cpus.look();
	REQUIRE_FALSE(wrong);
	CHECK(wrong.error().code == EPROTO);
	machine.write("0-1");
	CHECK(machine.cpus.come() == Cpus{1});
	CHECK(OnlineCpus("/none").look().error().code == ENOENT);
}

TEST_CASE("the list of CPUs is not read again before its time")
{
	Machine machine("0", std::chrono::hours(1));
	machine.write("0-1");
	CHECK(machine.cpus.come().empty());
}
