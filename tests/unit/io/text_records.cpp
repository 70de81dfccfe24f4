// SPDX-License-Identifier: GPL-2.0
// What a watch of the kernel's text gives: addresses arrive late, and what is no record is refused.
#include <catch2/catch.hpp>
#include <cstring>

#include "io/text_records.h"
#include "uwind.h"

using namespace uwind;

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t page = 0x1000;
constexpr std::uint64_t frame = 0x40000000; // a page of memory

Bytes record(uwind_text_record head, const Bytes& more = {})
{
	head.size = static_cast<__u32>((sizeof(head) + more.size() + 7) / 8 * 8);
	Bytes bytes(head.size);
	std::memcpy(bytes.data(), &head, sizeof(head));
	std::copy(more.begin(), more.end(), bytes.begin() + sizeof(head));
	return bytes;
}

uwind_text_record head(std::uint32_t type, std::uint64_t address, std::uint64_t bytes)
{
	uwind_text_record raw{};
	raw.type = static_cast<__u16>(type);
	raw.after_ns = 100;
	raw.before_ns = 200;
	raw.address = address;
	raw.bytes = bytes;
	raw.pid = 7, raw.tid = 8, raw.cpu = 1;
	std::strcpy(raw.comm, "patcher");
	raw.nr_callers = 2;
	raw.callers[0] = 0x10, raw.callers[1] = 0x20;
	return raw;
}

Bytes change(std::uint64_t address, std::uint64_t physical = frame + 0x124)
{
	auto raw = head(UWIND_TEXT_CHANGE, address, 4);
	raw.physical = physical;
	return record(raw, {1, 2, 3, 4, 5, 6, 7, 8});
}

Bytes flush(std::uint64_t address, std::uint64_t bytes, const std::vector<std::uint64_t>& pages)
{
	Bytes more(pages.size() * sizeof(std::uint64_t));
	if (!pages.empty())
		std::memcpy(more.data(), pages.data(), more.size());
	return record(head(UWIND_TEXT_FLUSH, address, bytes), more);
}

std::vector<TextEvent> events_of(TextRecords& records, const std::vector<Bytes>& all)
{
	for (const Bytes& one : all)
		REQUIRE(records.add(one));
	return records.take();
}

} // namespace

TEST_CASE("a change of text keeps all that its record says")
{
	TextRecords records(page);
	const auto events = events_of(records, {change(0xffff0124)});
	REQUIRE(events.size() == 1);
	const auto& got = std::get<TextChange>(events[0]);
	CHECK(got.from_ns == 100);
	CHECK(got.until_ns == 200);
	CHECK(got.address == 0xffff0124);
	CHECK(got.physical == frame + 0x124);
	CHECK(got.before == Bytes{1, 2, 3, 4});
	CHECK(got.after == Bytes{5, 6, 7, 8});
	CHECK(got.pid == 7);
	CHECK(got.tid == 8);
	CHECK(got.cpu == 1);
	CHECK(got.comm == "patcher");
	CHECK(got.callers == std::vector<std::uint64_t>{0x10, 0x20});
}

TEST_CASE("a change without an address waits for the flush of its page, and others wait with it")
{
	TextRecords records(page);
	CHECK(events_of(records, {change(0), change(0x8000)}).empty());
	CHECK(events_of(records, {flush(0x5ff0, 0x20, {frame + page, frame + 2 * page})}).empty());
	const auto events = events_of(records, {flush(0x6ff0, 0x20, {frame + 8 * page, frame})});
	REQUIRE(events.size() == 4);
	CHECK(std::get<TextChange>(events[0]).address == 0x7124);
	CHECK(std::get<TextChange>(events[1]).address == 0x8000);
	CHECK(std::get<TextFlush>(events[2]).address == 0x5ff0);
	CHECK(std::get<TextFlush>(events[3]).bytes == 0x20);
}

TEST_CASE("a change whose flush never comes has no address in the end")
{
	TextRecords records(page);
	CHECK(events_of(records, {change(0)}).empty());
	const auto events = records.take_all();
	REQUIRE(events.size() == 1);
	CHECK(std::get<TextChange>(events[0]).address == 0);
	CHECK(records.take_all().empty());
}

TEST_CASE("what waits for an address is bounded")
{
	TextRecords records(page);
	std::size_t taken = 0;
	for (int i = 0; i < 5000; i++)
		taken += events_of(records, {change(0)}).size();
	CHECK(taken == 5000 - 4096);
}

TEST_CASE("a flush that says no more than the change before it is left out")
{
	TextRecords records(page);
	CHECK(events_of(records, {change(0x7124), flush(0x7124, 4, {frame})}).size() == 1);
	CHECK(events_of(records, {change(0), flush(0x7124, 4, {frame})}).size() == 1);
	CHECK(events_of(records, {change(0x7124), flush(0x7120, 8, {frame})}).size() == 2);
	CHECK(events_of(records, {flush(0x7124, 4, {frame})}).size() == 1);
}

TEST_CASE("modules and losses are as their records say")
{
	TextRecords records(page);
	const auto events = events_of(records, {record(head(UWIND_TEXT_MODULE_LIVE, 0x9000, 64), {'t', 'u', 'n', 0}),
						record(head(UWIND_TEXT_MODULE_GOING, 0x9000, 64), {'t', 'u', 'n', 0}),
						record(head(UWIND_TEXT_LOST, 0, 3)), record(head(99, 0, 3))});
	REQUIRE(events.size() == 3);
	const auto& live = std::get<TextRegion>(events[0]);
	CHECK(live.comes);
	CHECK(live.owner == TextOwner::MODULE);
	CHECK(live.name == "tun");
	REQUIRE(live.ranges.size() == 1);
	CHECK(live.ranges[0].address == 0x9000);
	CHECK(live.ranges[0].bytes == 64);
	CHECK_FALSE(std::get<TextRegion>(events[1]).comes);
	CHECK(std::get<TextLost>(events[2]).count == 3);
	CHECK(std::get<TextLost>(events[2]).until_ns == 200);
}

TEST_CASE("a module's content comes in parts, by the thread that says that it is live")
{
	TextRecords records(page);
	const auto part = [](std::uint32_t tid, std::uint64_t address, const Bytes& bytes) {
		auto raw = head(UWIND_TEXT_MODULE_CONTENT, address, bytes.size());
		raw.tid = tid;
		return record(raw, bytes);
	};
	const auto live = [](std::uint32_t tid, std::uint64_t bytes) {
		auto raw = head(UWIND_TEXT_MODULE_LIVE, 0x9000, bytes);
		raw.tid = tid;
		return record(raw, {'t', 'u', 'n', 0});
	};
	const auto content = [&](const std::vector<Bytes>& all) {
		const auto events = events_of(records, all);
		REQUIRE(events.size() == 1);
		return std::get<TextRegion>(events[0]).content;
	};
	CHECK(content({part(8, 0x9000, {1, 2}), part(9, 0x5000, {7}), part(8, 0x9002, {3}), live(8, 3)}) ==
	      Bytes{1, 2, 3});
	CHECK(content({live(8, 3)}).empty()); // each is told once
	CHECK(content({part(8, 0x9000, {1, 2}), live(8, 3)}).empty());
	CHECK(content({part(8, 0x9000, {1}), part(8, 0x9002, {3}), live(8, 3)}).empty()); // one is missing
	CHECK(content({part(9, 0x9000, {1, 2, 3}), live(8, 3)}).empty());
	CHECK(content({part(8, 0x9000, {4}), part(8, 0x9000, {1, 2, 3}), live(8, 3)}) == Bytes{1, 2, 3});
	for (std::uint32_t tid = 100; tid < 200; tid++) // of which none becomes live
		REQUIRE(records.add(part(tid, 0x9000, {1})));
	CHECK(content({part(8, 0x9000, {1, 2, 3}), live(8, 3)}) == Bytes{1, 2, 3});
	CHECK_FALSE(records.add(record(head(UWIND_TEXT_MODULE_CONTENT, 0x9000, 64), {1, 2, 3})));
}

TEST_CASE("what is no record of text is refused")
{
	TextRecords records(page);
	const Bytes good = change(0x8000);
	const auto refused = [&](Bytes bytes) { return !records.add(bytes); };
	CHECK(refused(Bytes(2)));
	CHECK(refused(Bytes(512)));
	CHECK(refused(Bytes(good.begin(), good.end() - 8)));
	Bytes odd = good;
	odd[0]++;
	CHECK(refused(odd));
	CHECK(refused(record(head(UWIND_TEXT_CHANGE, 0x8000, 8), {1, 2, 3, 4, 5, 6, 7, 8})));
	CHECK(refused(record(head(UWIND_TEXT_CHANGE, 0x8000, ~0ull), {1, 2, 3, 4, 5, 6, 7, 8})));
	CHECK(records.take_all().empty());
}
