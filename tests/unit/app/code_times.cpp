// SPDX-License-Identifier: GPL-2.0
// What generated code was at an address, and when.
#include <catch2/catch.hpp>

#include "app/code_times.h"

using namespace uwind;

namespace {

const auto labelled = [](CodeTimes::Label label) { return [label](std::uint64_t) { return label; }; };

} // namespace

TEST_CASE("code is what was said last before that time")
{
	CodeTimes times({0x1000, 0x1010}, 100);
	times.set(0x1000, 0x20, 10, labelled(1));
	times.set(0x1010, 0x20, 20, labelled(2));
	times.set(0x1000, 0x10, 15, labelled(3)); // written later, though it was earlier
	times.settle();
	CHECK(times.at(0x1000, 9).label == 0);
	CHECK(times.at(0x1000, 10).label == 1);
	CHECK(times.at(0x1000, 15).label == 3);
	CHECK(times.at(0x1010, 19).label == 1);
	CHECK(times.at(0x1010, 20).label == 2);
	CHECK(times.at(0x1010, 15).from_ns == 10);
	CHECK(times.at(0x1010, 15).until_ns == 20);
	CHECK(times.at(0x1010, 25).until_ns == CodeTimes::ever);
	CHECK(times.at(0x1010, 5).until_ns == 10);
}

TEST_CASE("of one time what was said last is right")
{
	CodeTimes times({0x1000}, 1);
	times.set(0x1000, 0x20, 0, labelled(1));
	times.set(0xff0, 0x20, 0, labelled(2));
	times.set(0x1001, 0x20, 0, labelled(3));
	times.settle();
	CHECK(times.at(0x1000, 5).label == 2);
	CHECK(times.not_kept() == 0);
}

TEST_CASE("a piece of code has its first byte, but not the one after its last")
{
	CodeTimes times({0x1000}, 10);
	CHECK(times.concerns(0x1000, 1));
	CHECK_FALSE(times.concerns(0x1000, 0));
	CHECK_FALSE(times.concerns(0xff0, 0x10));
	CHECK(times.concerns(0xff0, 0x11));
	CHECK_FALSE(times.concerns(0x1001, 0x10));
	CHECK(times.concerns(0, ~std::uint64_t{0}));
}

TEST_CASE("changes beyond the limit are counted, and what was kept stays")
{
	CodeTimes times({0x1000, 0x1001}, 2);
	times.set(0x1000, 1, 1, labelled(1));
	times.set(0x1000, 1, 2, labelled(2));
	times.set(0x1000, 2, 3, labelled(3));
	times.settle();
	CHECK(times.not_kept() == 2);
	CHECK(times.at(0x1000, 9).label == 2);
}
