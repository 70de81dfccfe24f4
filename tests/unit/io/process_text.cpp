// SPDX-License-Identifier: GPL-2.0
// What files below /proc/PID say.
#include <catch2/catch.hpp>

#include "io/process_text.h"

using namespace uwind;
using namespace std::literals;

TEST_CASE("a process' numbers and cgroup are read")
{
	const auto details =
		details_in("Name:\tcat\nPid:\t77\nPPid:\t12\nNSpid:\t77\t5\t3\n", "1:name=systemd:/a\n0::/b/c\n");
	REQUIRE(details);
	CHECK(details->parent_pid == 12);
	CHECK(details->namespace_pid == 3);
	CHECK(details->cgroup == "/b/c");
}

TEST_CASE("what is missing is not known")
{
	CHECK_FALSE(details_in("", ""));
	const auto details = details_in("PPid:\t0\n", "1:name=systemd:/a\n");
	REQUIRE(details);
	CHECK(*details == ProcessDetails{});
}

TEST_CASE("arguments may be empty, and are cut off")
{
	CHECK(arguments_in("a\0\0b c\0"sv) == std::vector<std::string>{"a", "", "b c"});
	CHECK(arguments_in("").empty());
	CHECK(arguments_in(std::string(600, 'x')) == std::vector{std::string(512, 'x')});
}
