// SPDX-License-Identifier: GPL-2.0
// Lists of processors: what is read, what is refused, what is written.
#include <catch2/catch.hpp>

#include "base/cpu_list.h"

using namespace uwind;

using Cpus = std::vector<std::uint32_t>;

TEST_CASE("a list of processors is read whatever its order, and each counts once")
{
	CHECK(parse_cpus("0") == Cpus{0});
	CHECK(parse_cpus("0-3,5") == Cpus{0, 1, 2, 3, 5});
	CHECK(parse_cpus("7,1-2,2-3,1") == Cpus{1, 2, 3, 7});
	CHECK(parse_cpus("4-4") == Cpus{4});
	CHECK(parse_cpus("65535") == Cpus{65535});
	CHECK(parse_cpus("0-65535,0-65535")->size() == 65536);
}

TEST_CASE("what is no list of processors is refused")
{
	for (const char* text : {"", ",", "0,", ",0", "-", "1-", "-1", "3-1", "0--1", "a", "0 1", "0, 1", "1-2-3",
				 "0x1", "65536", "0-65536", "99999999999999999999", "0-99999999999999999999"}) {
		INFO(text);
		CHECK_FALSE(parse_cpus(text));
	}
}

TEST_CASE("processors are written in the shortest form, which reads as the same")
{
	CHECK(text_of_cpus({}).empty());
	CHECK(text_of_cpus({3}) == "3");
	CHECK(text_of_cpus({0, 1, 2, 3, 5}) == "0-3,5");
	CHECK(text_of_cpus({0, 1, 3, 4, 9}) == "0-1,3-4,9");
	CHECK(parse_cpus(text_of_cpus({1, 2, 8, 10, 11})) == Cpus{1, 2, 8, 10, 11});
}
