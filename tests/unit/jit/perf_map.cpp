// SPDX-License-Identifier: GPL-2.0
// perf's map files.
#include <catch2/catch.hpp>

#include "jit/perf_map.h"
#include "unit/fake_generated_code.h"

using namespace uwind;

namespace {

struct Entry {
	std::uint64_t start, bytes;
	std::string name;

	bool operator==(const Entry&) const = default;
};

struct Read {
	std::vector<Entry> entries;
	NotesFlaws flaws;
};

Read read(const std::string& text, std::size_t most_at_once = ~std::size_t{0})
{
	Read result;
	FakeNotes notes(text, "map", most_at_once);
	result.flaws = read_perf_map(notes, [&](const PerfMapEntry& entry) {
		result.entries.push_back({entry.start, entry.bytes, std::string(entry.name)});
	});
	return result;
}

} // namespace

TEST_CASE("a line of a perf map has a start, a size and a name, which may have blanks")
{
	const auto entry = parse_perf_map_line("7f7d8c0c1000 4c LazyCompile:~f x.js:1");
	REQUIRE(entry);
	CHECK(entry->start == 0x7f7d8c0c1000);
	CHECK(entry->bytes == 0x4c);
	CHECK(entry->name == "LazyCompile:~f x.js:1");
	const auto java = parse_perf_map_line("0x00007fff8c0c1000 0x0000000000000040 int Recursion.grind(int)");
	REQUIRE(java);
	CHECK(java->start == 0x7fff8c0c1000);
	CHECK(java->bytes == 0x40);
	CHECK(java->name == "int Recursion.grind(int)");
}

TEST_CASE("other lines are none of a perf map")
{
	const std::string line =
		GENERATE("", " ", "1000", "1000 40", "1000 40 ", "x 40 f", "1000 x f", "-1 40 f", "1000  40 f",
			 "ffffffffffffffff 2 f", "10000000000000000 1 f", "0x 1 f", "1000 0x0x1 f");
	CAPTURE(line);
	CHECK_FALSE(parse_perf_map_line(line));
}

TEST_CASE("what is broken in a perf map costs nothing else, and is counted")
{
	const std::size_t at_once = GENERATE(std::size_t{1}, std::size_t{3}, std::size_t{4096}, ~std::size_t{0});
	const Read got = read("1000 10 a\nnonsense\n2000 10 b\n\n3000 10 c", at_once);
	CHECK(got.entries == std::vector<Entry>{{0x1000, 0x10, "a"}, {0x2000, 0x10, "b"}, {0x3000, 0x10, "c"}});
	CHECK(got.flaws.bad == 2);
	CHECK(got.flaws.first == 2);
	CHECK_FALSE(got.flaws.refused);
	CHECK_FALSE(got.flaws.longer);
}

TEST_CASE("a line that is too long is a bad one, and those after it are read")
{
	const std::size_t more = GENERATE(0, 1, 100'000, 200'000);
	const std::string name(most_line_bytes - std::string("1000 10 ").size() - 1 + more, 'x');
	const Read got = read("1000 10 " + name + "\n2000 10 b\n");
	REQUIRE(got.entries.size() == (more ? 1 : 2));
	CHECK(got.entries.back() == Entry{0x2000, 0x10, "b"});
	CHECK(got.flaws.bad == (more ? 1 : 0));
}

namespace {

class Endless : public CodeNotes {
public:
	Result<std::size_t> read(std::span<std::uint8_t> into) override
	{
		std::ranges::fill(into, std::uint8_t{'\0'});
		given += into.size();
		return into.size();
	}
	std::string path() const override { return "endless"; }
	std::uint64_t given = 0;
};

} // namespace

TEST_CASE("a perf map without end is read so far, and no further")
{
	Endless notes;
	const auto flaws = read_perf_map(notes, [](const PerfMapEntry&) { FAIL("there is none"); });
	CHECK(flaws.longer);
	CHECK(notes.given <= most_notes_bytes + most_line_bytes);
}
