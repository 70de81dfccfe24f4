// SPDX-License-Identifier: GPL-2.0
// perf.data files that are not read: each says why, and what to do.
#include <catch2/catch.hpp>
#include <filesystem>

#include "perf_data/recording.h"
#include "unit/perf_data/perf_file.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace perf_file;

namespace {

constexpr std::uint64_t plain = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

Blob plain_sample(std::uint64_t time_ns = 1)
{
	return Blob().u64(0x401000).u32(7).u32(7).u64(time_ns);
}

File good_file()
{
	File file;
	file.events = {event(plain)};
	file.add(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, plain_sample());
	return file;
}

std::vector<std::uint8_t> changed(std::vector<std::uint8_t> bytes, std::size_t at, std::uint64_t value)
{
	std::memcpy(bytes.data() + at, &value, sizeof(value));
	return bytes;
}

// The error of opening it, or of reading its records; "": none.
std::string error_of(const std::vector<std::uint8_t>& bytes)
{
	const TemporaryFolder folder;
	const std::string path = folder.at("perf.data");
	std::ofstream(path, std::ios::binary)
		.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
	auto recording = perf_data::FileRecording::open(path);
	if (!recording) {
		CHECK(recording.error().code == EINVAL);
		CHECK(recording.error().message.starts_with(path + ": "));
		return recording.error().message;
	}
	for (;;) {
		const auto record = (*recording)->next();
		if (!record)
			return record.error().message;
		if (!*record)
			return "";
	}
}

void expect(const std::vector<std::uint8_t>& bytes, const char* sentence)
{
	INFO(sentence);
	CHECK_THAT(error_of(bytes), Catch::Contains(sentence));
}

// Offsets in the header.
constexpr std::size_t at_size = 8, at_attribute_bytes = 16, at_attributes = 24, at_data = 40, at_features = 72;

} // namespace

TEST_CASE("a good file of perf has no error")
{
	CHECK(error_of(good_file().bytes()).empty());
}

TEST_CASE("what is no perf.data file is said to be none")
{
	expect({}, "is no perf.data file: it has only 0 bytes");
	expect(std::vector<std::uint8_t>(200, 'x'), "is no perf.data file");
}

TEST_CASE("a file of the other byte order, or of an old perf, is refused by name")
{
	const auto bytes = good_file().bytes();
	std::uint64_t magic;
	std::memcpy(&magic, bytes.data(), 8);
	expect(changed(bytes, 0, __builtin_bswap64(magic)), "the other byte order");
	std::memcpy(&magic, "PERFFILE", 8);
	expect(changed(bytes, 0, magic), "older than Linux 2.6.35");
}

TEST_CASE("a file that was written to a pipe is refused, with what to do")
{
	auto bytes = changed(good_file().bytes(), at_size, 16);
	expect(bytes, "record to a file");
	bytes.resize(16);
	expect(bytes, "record to a file");
}

TEST_CASE("a header that is too small or cut off is refused")
{
	auto bytes = good_file().bytes();
	expect(changed(bytes, at_size, 103), "a header of 103 bytes");
	bytes.resize(103);
	expect(bytes, "the header is cut off");
}

TEST_CASE("a recording that was not ended has no data, and is refused")
{
	expect(changed(good_file().bytes(), at_data + 8, 0), "has no data");
}

TEST_CASE("each part that does not lie in the file is named")
{
	const auto bytes = good_file().bytes();
	expect(changed(bytes, at_attributes, bytes.size()), "list of events is cut off");
	expect(changed(bytes, at_attributes + 8, ~0ull), "list of events is cut off");
	expect(changed(bytes, at_data, ~0ull), "its data are cut off");
	expect(changed(bytes, at_data + 8, bytes.size()), "its data are cut off");
	expect(changed(bytes, at_features, ~0ull), "the table of sections is cut off");
	const std::size_t table = bytes.size() - Blob().counted("x86_64").bytes.size() -
				  (8 + sizeof(perf_event_attr) + 4 + Blob().counted("cpu-clock").bytes.size()) - 32;
	expect(changed(bytes, table, ~0ull), "section 6 is cut off");
	expect(changed(bytes, table + 24, bytes.size()), "section 12 is cut off");
}

TEST_CASE("events that have no room for an attribute are refused")
{
	const auto bytes = good_file().bytes();
	expect(changed(bytes, at_attribute_bytes, 79), "an event takes 79 bytes");
	expect(changed(bytes, at_attribute_bytes, 4097), "an event takes 4097 bytes");
	expect(changed(bytes, at_attributes + 8, 0), "no whole events");
	expect(changed(bytes, at_attributes + 8, 17), "no whole events");
}

TEST_CASE("an attribute that says another size than it has is refused")
{
	File file = good_file();
	file.events[0].attr.size = 1000;
	expect(file.bytes(), "an event says that it takes 1000 bytes");
	file.events[0].attr.size = 8;
	expect(file.bytes(), "an event says that it takes 8 bytes");
}

TEST_CASE("more events or ids than the limit are refused")
{
	File file = good_file();
	file.events.resize(perf_data::most_attributes + 1, file.events[0]);
	expect(file.bytes(), "the list of events has");
	file = good_file();
	const auto bytes = file.bytes();
	const std::size_t ids = 104 + sizeof(perf_event_attr);
	expect(changed(bytes, ids + 8, 12), "no whole numbers");
	expect(changed(bytes, ids + 8, 1 << 20), "ids is cut off");
}

TEST_CASE("events whose records cannot be told apart are refused")
{
	File file = good_file();
	file.events.push_back(event(plain | PERF_SAMPLE_CPU));
	expect(file.bytes(), "cannot be told apart");
}

TEST_CASE("compressed recordings and those of several files are refused, with what to do")
{
	File file = good_file();
	file.sections = {{27, Blob().u32(1)}};
	expect(file.bytes(), "is compressed: record without -z");
	file.sections = {{24, Blob().u64(1)}};
	expect(file.bytes(), "perf record --threads");
	file = good_file();
	file.add(81, 0, Blob().u64(0));
	expect(file.bytes(), "is compressed: record without -z");
	const TemporaryFolder folder;
	const auto recording = perf_data::FileRecording::open(folder.path);
	REQUIRE_FALSE(recording);
	CHECK(recording.error().code == EISDIR);
	CHECK_THAT(recording.error().message, Catch::Contains("perf record --threads"));
}

TEST_CASE("a recording of an unknown machine is refused")
{
	File file = good_file();
	file.machine = "riscv64";
	expect(file.bytes(), "was recorded on riscv64: only x86_64 and aarch64 are read");
	file.machine = "";
	expect(file.bytes(), "was recorded on an unknown machine");
}

TEST_CASE("a section that contradicts itself is named")
{
	File file = good_file();
	file.sections = {{3, Blob().u32(1000).u64(0)}};
	expect(file.bytes(), "the host's name contradicts itself");
	file.sections = {{3, Blob().u32((64u << 10) + 1).all(std::vector<std::uint8_t>(1u << 17))}};
	expect(file.bytes(), "the host's name contradicts itself");
	file.sections = {{11, Blob().u32(2).counted("perf")}};
	expect(file.bytes(), "the command contradicts itself");
	file.sections = {{2, Blob().u32(0).u16(2).u16(4)}};
	expect(file.bytes(), "the list of build-ids contradicts itself");
}

TEST_CASE("a record that is cut off, or shorter than its head, ends the reading")
{
	File file = good_file();
	file.data.u32(PERF_RECORD_SAMPLE).u16(0).u16(7);
	expect(file.bytes(), "says that it has 7 bytes");
	file = good_file();
	file.data.u32(PERF_RECORD_SAMPLE).u16(0).u16(9);
	expect(file.bytes(), "is cut off");
	file = good_file();
	file.data.u32(PERF_RECORD_SAMPLE);
	expect(file.bytes(), "is cut off");
	file = good_file();
	file.add(71, 0, Blob().u64(1));
	expect(file.bytes(), "says that 1 bytes follow");
}
