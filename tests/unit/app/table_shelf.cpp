// SPDX-License-Identifier: GPL-2.0
// Tables that are kept for walks that are gone on with.
#include <catch2/catch.hpp>

#include "app/table_shelf.h"
#include "walk/unwinder.h"

using namespace uwind;

namespace {

TableRows rows(std::size_t number)
{
	TableRows content;
	for (std::uint32_t i = 0; i < number; i++)
		content.rows.push_back({i, 0});
	content.rules.resize(1);
	return content;
}

struct OpenShelf {
	OpenShelf() { shelf.open(); }

	CoreUnwinder unwinder;
	TableShelf shelf{unwinder, 4096};
};

} // namespace

TEST_CASE("a shelf that is not open keeps nothing")
{
	CoreUnwinder unwinder;
	TableShelf shelf(unwinder);
	shelf.put(1, rows(3));
	CHECK_FALSE(shelf.get(1));
}

TEST_CASE_METHOD(OpenShelf, "a table is packed once, and stays until there is no room")
{
	shelf.put(1, rows(100));
	shelf.put(2, rows(100));
	const auto first = shelf.get(1);
	REQUIRE(first);
	CHECK(shelf.get(1) == first);
	CHECK(first->bytes() < 100 * sizeof(Row));
	shelf.put(3, rows(400)); // the second has not been used for longest
	CHECK(shelf.dropped() == 1);
	CHECK_FALSE(shelf.get(2));
	CHECK(shelf.get(1) == first);
	CHECK(shelf.get(3));
}

TEST_CASE_METHOD(OpenShelf, "one table may be larger than the shelf, and then is alone")
{
	shelf.put(1, rows(10));
	shelf.put(2, rows(10000));
	CHECK_FALSE(shelf.get(1));
	CHECK(shelf.get(2));
}
