// SPDX-License-Identifier: GPL-2.0
// Records of a ring of perf: over its end, broken ones, and the kernel's own.
#include <catch2/catch.hpp>

#include <cstring>
#include <sched.h>
#include <sys/prctl.h>

#include "io/perf_ring.h"
#include "unit/skipped.h"

using namespace uwind;

namespace {

constexpr std::size_t ring_bytes = 64;

struct Ring {
	std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(ring_bytes);
	std::vector<std::uint8_t> joined;

	void put(std::uint64_t at, std::uint16_t size, std::uint8_t fill)
	{
		const perf_event_header header{PERF_RECORD_COMM, 0, size};
		std::vector<std::uint8_t> record(std::max<std::size_t>(size, sizeof(header)), fill);
		std::memcpy(record.data(), &header, sizeof(header));
		for (std::size_t i = 0; i < record.size(); i++)
			bytes[(at + i) % ring_bytes] = record[i];
	}
	Bytes at(std::uint64_t tail, std::uint64_t head) { return record_in_ring(bytes, tail, head, joined); }
};

} // namespace

TEST_CASE("a record within the ring is given where it stands")
{
	Ring ring;
	ring.put(16, 24, 7);
	const Bytes record = ring.at(16, 40);
	REQUIRE(record.size() == 24);
	CHECK(record.data() == ring.bytes.data() + 16);
	CHECK(record[23] == 7);
}

TEST_CASE("a record that goes over the ring's end is joined, at any position")
{
	Ring ring;
	for (const std::uint64_t round : {std::uint64_t{0}, std::uint64_t{1} << 40}) {
		const std::uint64_t tail = round * ring_bytes + 48;
		ring.put(tail, 40, 9);
		const Bytes record = ring.at(tail, tail + 40);
		REQUIRE(record.size() == 40);
		CHECK(word_at(record, 0) == PERF_RECORD_COMM);
		for (std::size_t i = sizeof(perf_event_header); i < record.size(); i++)
			CHECK(record[i] == 9);
	}
}

TEST_CASE("a record that contradicts the ring's positions is none")
{
	Ring ring;
	ring.put(0, 24, 1);
	CHECK(ring.at(0, 0).empty());
	CHECK(ring.at(0, 4).empty());
	CHECK(ring.at(0, 16).empty());              // longer than what is there
	CHECK(ring.at(0, ring_bytes + 24).empty()); // more is there than has room
	ring.put(0, 4, 1);
	CHECK(ring.at(0, 24).empty());  // shorter than its head
	CHECK(ring.at(60, 84).empty()); // at no position that the kernel writes to
}

TEST_CASE("the kernel's ring gives its records and counts what had no room")
{
	perf_event_attr attributes{};
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_DUMMY;
	attributes.comm = 1;
	auto ring = PerfRing::open(attributes, 0, 1, "names");
	if (!ring) {
		if (!skipped("no event of perf may be opened here: " + ring.error().message))
			FAIL(ring.error().message);
		return;
	}
	std::size_t names = 0, said_lost = 0;
	const auto take = [&](Bytes record) {
		names += word_at(record, 0) == PERF_RECORD_COMM;
		said_lost += word_at(record, 0) == PERF_RECORD_LOST;
	};
	cpu_set_t first{};
	CPU_SET(0, &first);
	cpu_set_t before{};
	REQUIRE(::sched_getaffinity(0, sizeof(before), &before) == 0);
	REQUIRE(::sched_setaffinity(0, sizeof(first), &first) == 0);
	for (int i = 0; i < 5; i++)
		::prctl(PR_SET_NAME, "a_name");
	ring->drain(take);
	CHECK(names >= 5);
	CHECK(*ring->lost() == 0);
	for (std::size_t i = 0; i < PerfRing::least_bytes / 16; i++)
		::prctl(PR_SET_NAME, "another_name");
	CHECK(*ring->lost() > 0);
	CHECK(ring->drain(take) > 100);
	::prctl(PR_SET_NAME, "unit_tests");
	ring->drain(take);
	CHECK(said_lost == 1);
	CHECK(::sched_setaffinity(0, sizeof(before), &before) == 0);
}

TEST_CASE("an event that the kernel does not have is named")
{
	perf_event_attr attributes{};
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = 0xffff;
	const auto ring = PerfRing::open(attributes, 0, 1, "changes of kernel text");
	REQUIRE_FALSE(ring);
	CHECK(ring.error().message.find("changes of kernel text on CPU 0: ") == 0);
}
