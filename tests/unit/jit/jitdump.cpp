// SPDX-License-Identifier: GPL-2.0
// Jitdumps.
#include <catch2/catch.hpp>

#include "jit/jitdump.h"
#include "unit/fake_generated_code.h"

using namespace uwind;

namespace {

struct Load {
	std::uint64_t time, start, bytes, index;
	std::string name;
	std::vector<std::pair<std::uint32_t, std::string>> lines;

	bool operator==(const Load&) const = default;
};

struct Read {
	std::vector<Load> loads;
	std::vector<JitMove> moves;
	Jitdump dump;
};

Read read(const std::string& bytes)
{
	Read result;
	JitdumpVisitor visitor;
	visitor.wants_lines = [](std::uint64_t, std::uint64_t) { return true; };
	visitor.load = [&](const JitLoad& load) {
		result.loads.push_back({load.time, load.start, load.bytes, load.index, std::string(load.name), {}});
		for (const JitLine& line : load.lines)
			result.loads.back().lines.emplace_back(line.line, std::string(line.file));
	};
	visitor.move = [&](const JitMove& move) { result.moves.push_back(move); };
	FakeNotes notes(bytes, "dump");
	result.dump = read_jitdump(notes, nullptr, visitor);
	return result;
}

} // namespace

TEST_CASE("a jitdump's loads have their time, place, index and name")
{
	const Read got = read(JitdumpBytes().load(5, 0x1000, 0x20, "f", 1).load(6, 0x2000, 100'000, "g h", 2));
	CHECK(got.loads == std::vector<Load>{{5, 0x1000, 0x20, 1, "f", {}}, {6, 0x2000, 100'000, 2, "g h", {}}});
	CHECK_FALSE(got.dump.cycles);
	CHECK_FALSE(got.dump.flaws.refused);
	CHECK(got.dump.flaws.bad == 0);
}

TEST_CASE("a jitdump's lines belong to the load after them; a file may be that of the line before")
{
	const Read got = read(JitdumpBytes()
				      .lines(0x1000, {{0x1000, 3, "a.js"}, {0x1008, 4, "\xff"}, {0x1010, 9, "b.js"}})
				      .load(5, 0x1000, 0x20, "f")
				      .load(6, 0x2000, 0x20, "g")
				      .lines(0x5000, {{0x5000, 1, "other.js"}})
				      .load(7, 0x3000, 0x20, "h"));
	REQUIRE(got.loads.size() == 3);
	CHECK(got.loads[0].lines ==
	      std::vector<std::pair<std::uint32_t, std::string>>{{3, "a.js"}, {4, "a.js"}, {9, "b.js"}});
	CHECK(got.loads[1].lines.empty());
	CHECK(got.loads[2].lines.empty());
}

TEST_CASE("a jitdump's moves say from where to where")
{
	const Read got = read(JitdumpBytes().move(9, 0x1000, 0x7000, 0x20, 3));
	REQUIRE(got.moves.size() == 1);
	CHECK(got.moves[0].time == 9);
	CHECK(got.moves[0].from == 0x1000);
	CHECK(got.moves[0].to == 0x7000);
	CHECK(got.moves[0].bytes == 0x20);
	CHECK(got.moves[0].index == 3);
}

TEST_CASE("a jitdump says whose clock it has")
{
	CHECK(read(JitdumpBytes(1)).dump.cycles);
	CHECK_FALSE(read(JitdumpBytes(2)).dump.cycles);
}

TEST_CASE("records of other kinds are passed over")
{
	const std::string unwinding(100, 'u');
	const Read got = read(JitdumpBytes()
				      .begin(4, 16 + 100, 1)
				      .raw(unwinding)
				      .begin(77, 16, 2)
				      .begin(3, 16, 3)
				      .load(4, 0x1000, 8, "f"));
	REQUIRE(got.loads.size() == 1);
	CHECK(got.dump.flaws.bad == 0);
}

TEST_CASE("what is no jitdump is refused, and the error says why")
{
	const auto why = [](const std::string& bytes) {
		const auto refused = read(bytes).dump.flaws.refused;
		return refused ? refused->message : "";
	};
	const std::string good = JitdumpBytes();
	CHECK(why(good).empty());
	CHECK(why("") == "it is too short for a jitdump");
	CHECK(why(good.substr(0, 39)) == "it is too short for a jitdump");
	CHECK(why(JitdumpBytes(0, 0x4454694a)) == "it is a jitdump of the other byte order");
	CHECK(why(JitdumpBytes(0, 0x464c457f)) == "it is no jitdump");
	CHECK(why(JitdumpBytes(0, 0x4a695444, 2)) == "its version of jitdumps, 2, is not known");
	std::string shortened = good;
	shortened[8] = 39;
	CHECK(why(shortened) == "its header is too short for a jitdump");
}

TEST_CASE("a jitdump's end in the midst of a record costs that record alone, and is no flaw")
{
	const std::string whole = JitdumpBytes().load(5, 0x1000, 0x20, "f").load(6, 0x2000, 0x20, "gg");
	const std::size_t second = whole.size() - (16 + 40 + 3 + 0x20);
	const std::size_t cut = GENERATE(1, 15, 16, 40, 57, 60);
	const Read got = read(whole.substr(0, second + cut));
	CHECK(got.loads.size() == 1);
	CHECK(got.dump.flaws.bad == 0);
	CHECK_FALSE(got.dump.flaws.refused);
}

TEST_CASE("a broken record of a jitdump is counted, and others are read if it says where they begin")
{
	const std::string endless_name(80, 'x');
	const Read got = read(JitdumpBytes()
				      .begin(0, 16 + 8, 1) // too short
				      .raw("12345678")
				      .load(5, ~std::uint64_t{0}, 0x20, "beyond the end")
				      .begin(0, 16 + 80, 1)
				      .raw(endless_name)
				      .load(6, 0x1000, 0x20, "f"));
	REQUIRE(got.loads.size() == 1);
	CHECK(got.loads[0].name == "f");
	CHECK(got.dump.flaws.bad == 3);
	CHECK(got.dump.flaws.first == 40);
	const Read rest = read(JitdumpBytes().begin(0, 15, 1).load(6, 0x1000, 0x20, "f"));
	CHECK(rest.loads.empty());
	REQUIRE(rest.dump.flaws.refused);
	CHECK(rest.dump.flaws.refused->message == "a record is shorter than its header");
}
