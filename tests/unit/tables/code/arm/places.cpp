// SPDX-License-Identifier: GPL-2.0
#include <catch2/catch.hpp>

#include "tables/code/arm/places.h"

using uwind::ArmPlaces;

TEST_CASE("what is known of a place of Arm code does not change what else is known of it")
{
	ArmPlaces places(4);
	places.set_begin(1, true);
	places.doubt(1);
	places.try_at(1, true);
	CHECK(places.is_tried(1));
	CHECK(places.is_thumb(1));
	CHECK_FALSE(places.is_unseen(1));
	CHECK(places.is_open(1));
	places.set_seen(1, ArmPlaces::unseen);
	CHECK(places.is_unseen(1));
	CHECK(places.begins(1));
	CHECK(places.is_doubtful(1));
	places.add_data(2);
	CHECK_FALSE(places.is_unseen(2));
	CHECK_FALSE(places.is_open(2));
}

TEST_CASE("a place of Arm code is new if it is unseen, no data, no beginning, and exists")
{
	ArmPlaces places(3);
	places.set_begin(1, true);
	places.add_data(2);
	CHECK(places.is_new(0));
	CHECK_FALSE(places.is_new(1));
	CHECK_FALSE(places.is_new(2));
	CHECK_FALSE(places.is_new(3));
}

TEST_CASE("an Arm instruction ends before the next one, and what is settled before what is not")
{
	ArmPlaces places(6);
	places.try_at(1, true);
	places.set_seen(1, ArmPlaces::settled);
	places.set_seen(2, ArmPlaces::settled_inside);
	places.try_at(3, false);
	places.set_seen(3, ArmPlaces::settled);
	places.set_seen(4, ArmPlaces::settled_inside);
	CHECK(places.end_of_instruction(1) == 3);
	CHECK(places.end_of_settled(1) == 5);
	CHECK_FALSE(places.is_thumb_before(5));
	CHECK(places.is_thumb_before(3));
}
