// SPDX-License-Identifier: GPL-2.0
// The files that frames lie in: which of them a number stands for.
#include <catch2/catch.hpp>

#include "app/modules.h"

using namespace uwind;

TEST_CASE("what was announced of a file's number outlasts what lies at its address now")
{
	Modules modules;
	const auto announced = modules.add({8, 1, 100, 0, 0}, "/announced").id;
	const auto found = modules.add({8, 1, 101, 0, 0}, "/found").id;
	SECTION("announced before")
	{
		modules.bind(5, announced);
		modules.bind_unknown(5, found);
	}
	SECTION("announced after")
	{
		modules.bind_unknown(5, found);
		CHECK(modules.of_number(5) == found);
		modules.bind(5, announced);
	}
	CHECK(modules.of_number(5) == announced);
}

TEST_CASE("a file below an overlay and the overlay's are one")
{
	Modules modules;
	const auto below = modules.add({0, 40, 100, 5000, 77}, "/usr/lib/libx.so").id;
	const auto above = modules.add({0, 41, 100, 5000, 77}, "/usr/lib/libx.so");
	const auto of_several = modules.add({0, 42, 100 | std::uint64_t(1) << 62, 5000, 77}, "/usr/lib/libx.so");
	CHECK(above.id == below);
	CHECK_FALSE(above.is_new);
	CHECK(of_several.id == below);
	CHECK(modules.of_mapping({.dev_major = 0, .dev_minor = 41, .inode = 100}) == below);
	CHECK(modules.size() == 1);
	SECTION("not if anything else differs")
	{
		CHECK(modules.add({0, 43, 101, 5000, 77}, "/usr/lib/libx.so").is_new);
		CHECK(modules.add({0, 43, 100, 5001, 77}, "/usr/lib/libx.so").is_new);
		CHECK(modules.add({0, 43, 100, 5000, 78}, "/usr/lib/libx.so").is_new);
		CHECK(modules.add({0, 43, 100, 5000, 77}, "/usr/lib/liby.so").is_new);
		CHECK(modules.add({0, 44, 100, 5000, 77}, "").is_new);
	}
	SECTION("forgotten together")
	{
		modules.next_period();
		modules.next_period();
		modules.give_up_unused(1);
		CHECK(modules.size() == 0);
		CHECK_FALSE(modules.of_mapping({.dev_major = 0, .dev_minor = 41, .inode = 100}));
	}
}

TEST_CASE("a file keeps its own identity and a limited number of an overlay's")
{
	Modules modules({.identities = 3});
	const auto id = modules.add({0, 40, 100, 5000, 77}, "/usr/lib/libx.so").id;
	for (std::uint32_t device = 41; device < 50; device++)
		CHECK(modules.add({0, device, 100, 5000, 77}, "/usr/lib/libx.so").id == id);
	std::size_t known = 0;
	for (std::uint32_t device = 40; device < 50; device++)
		known += modules.of_mapping({.dev_major = 0, .dev_minor = device, .inode = 100}) == id;
	CHECK(known == 3);
	CHECK(modules.of_mapping({.dev_major = 0, .dev_minor = 40, .inode = 100}) == id);
	CHECK(modules.of_mapping({.dev_major = 0, .dev_minor = 49, .inode = 100}) == id);
}
