// SPDX-License-Identifier: GPL-2.0
// What was read of a file, in any order and more than once.
#include <catch2/catch.hpp>

#include "elf/read_log.h"

using namespace uwind;

namespace {

const Digest::Key key{1, 2, 3};
const std::vector<std::uint8_t> file{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

void read(ReadLog& log, std::uint64_t offset, std::uint64_t bytes)
{
	log.add(offset, Bytes(file).subspan(offset, bytes));
}

using Places = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// The digest is that of the places, one after the other.
Places places_in(const ReadLog& log)
{
	const auto found = log.read(key);
	REQUIRE(found);
	Digest digest(key);
	Places places;
	for (const ReadLog::Place& place : found->places) {
		digest.add(Bytes(file).subspan(place.offset, place.bytes));
		places.emplace_back(place.offset, place.bytes);
	}
	CHECK(found->digest == digest.value());
	return places;
}

} // namespace

TEST_CASE("what was read is known by places in order, and each byte is in one of them")
{
	ReadLog log;
	CHECK(places_in(log).empty());
	read(log, 8, 2);
	read(log, 2, 2);
	CHECK(places_in(log) == Places{{2, 2}, {8, 2}});
	read(log, 8, 4); // longer than before
	read(log, 9, 1);
	CHECK(places_in(log) == Places{{2, 2}, {8, 4}});
	read(log, 4, 1); // adjacent
	read(log, 3, 3); // overlaps
	CHECK(places_in(log) == Places{{2, 4}, {8, 4}});
	read(log, 5, 0);
	read(log, 0, 16);
	CHECK(places_in(log) == Places{{0, 16}});
}

TEST_CASE("of a byte that was read twice and was not the same, a log has nothing")
{
	const std::uint8_t other[] = {4, 5, 0, 7};
	for (const std::uint64_t offset : {2, 4, 6}) {
		ReadLog log;
		read(log, offset, 4);
		CHECK(log.read(key));
		log.add(4, Bytes(other));
		CHECK(bool(log.read(key)) == (offset == 2)); // there, the two share no changed byte
	}
	ReadLog log;
	read(log, 0, 16);
	log.add(4, Bytes(other));
	CHECK_FALSE(log.read(key));
}

TEST_CASE("a log that is not whole has nothing")
{
	ReadLog log;
	read(log, 0, 4);
	log.end();
	read(log, 4, 4);
	CHECK_FALSE(log.whole());
	CHECK_FALSE(log.read(key));
}
