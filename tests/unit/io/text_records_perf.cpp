// SPDX-License-Identifier: GPL-2.0
// What perf's records say of changes of the kernel's text.
#include <catch2/catch.hpp>
#include <linux/perf_event.h>

#include "io/text_changes_perf.h"

using namespace uwind;

namespace {

class PerfRecord {
public:
	explicit PerfRecord(std::uint32_t type) { add(perf_event_header{type, 0, 0}); }

	template <typename T>
	PerfRecord& add(const T& value)
	{
		const auto* raw = reinterpret_cast<const std::uint8_t*>(&value);
		bytes_.insert(bytes_.end(), raw, raw + sizeof(value));
		return *this;
	}

	PerfRecord& add_bytes(std::initializer_list<std::uint8_t> bytes)
	{
		bytes_.insert(bytes_.end(), bytes);
		return *this;
	}

	// PERF_SAMPLE_TID, TIME and CPU.
	std::vector<std::uint8_t> end()
	{
		bytes_.resize((bytes_.size() + 7) & ~std::size_t{7});
		add(std::uint32_t{7})
			.add(std::uint32_t{8})
			.add(std::uint64_t{99})
			.add(std::uint32_t{3})
			.add(std::uint32_t{0});
		return bytes_;
	}

private:
	std::vector<std::uint8_t> bytes_;
};

std::vector<std::uint8_t> poke(std::uint16_t old_bytes, std::uint16_t new_bytes)
{
	return PerfRecord(PERF_RECORD_TEXT_POKE)
		.add(std::uint64_t{0xffffffff81000010})
		.add(old_bytes)
		.add(new_bytes)
		.add_bytes({0x0f, 0x1f, 0x44, 0x00, 0x00, 0xe8, 0x01, 0x02, 0x03, 0x04})
		.end();
}

std::vector<std::uint8_t> symbol(std::uint16_t type, std::uint16_t flags)
{
	return PerfRecord(PERF_RECORD_KSYMBOL)
		.add(std::uint64_t{0xffffffffc0001000})
		.add(std::uint32_t{0x80})
		.add(type)
		.add(flags)
		.add_bytes({'b', 'p', 'f', '_', 'x', 0})
		.end();
}

void check_change(const std::vector<std::uint8_t>& record)
{
	const auto event = text_event_in(record);
	REQUIRE(event);
	const auto& change = std::get<TextChange>(*event);
	CHECK(change.address == 0xffffffff81000010);
	CHECK(change.before == std::vector<std::uint8_t>{0x0f, 0x1f, 0x44, 0x00, 0x00});
	CHECK(change.after == std::vector<std::uint8_t>{0xe8, 0x01, 0x02, 0x03, 0x04});
	CHECK(change.pid == 7);
	CHECK(change.tid == 8);
	CHECK(change.from_ns == 99);
	CHECK(change.until_ns == 99);
	CHECK(change.cpu == 3);
}

} // namespace

TEST_CASE("perf's record of a change has the bytes before and after, and one time for both bounds")
{
	check_change(poke(5, 5));
}

TEST_CASE("what others are told of a change makes its record longer, and its time stays")
{
	auto record = poke(5, 5);
	record.resize(record.size() + 48);
	check_change(record);
}

TEST_CASE("a change without new bytes, of two lengths or cut off is none")
{
	CHECK_FALSE(text_event_in(poke(10, 0)));
	CHECK_FALSE(text_event_in(poke(4, 6)));
	const auto record = poke(5, 5);
	for (std::size_t bytes = 0; bytes + sizeof(std::uint32_t) < record.size(); bytes++)
		CHECK_FALSE(text_event_in(Bytes(record).first(bytes)));
	CHECK(std::get<TextChange>(*text_event_in(poke(0, 10))).before.empty());
}

TEST_CASE("perf's record of a symbol is a region that comes, or goes")
{
	const auto comes = std::get<TextRegion>(*text_event_in(symbol(PERF_RECORD_KSYMBOL_TYPE_BPF, 0)));
	CHECK(comes.comes);
	CHECK(comes.owner == TextOwner::BPF);
	CHECK(comes.name == "bpf_x");
	CHECK(comes.time_ns == 99);
	REQUIRE(comes.ranges.size() == 1);
	CHECK(comes.ranges.front().address == 0xffffffffc0001000);
	CHECK(comes.ranges.front().bytes == 0x80);
	const auto goes = std::get<TextRegion>(
		*text_event_in(symbol(PERF_RECORD_KSYMBOL_TYPE_OOL, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)));
	CHECK_FALSE(goes.comes);
	CHECK(goes.owner == TextOwner::OUT_OF_LINE);
	CHECK_FALSE(text_event_in(PerfRecord(PERF_RECORD_COMM).end()));
}
