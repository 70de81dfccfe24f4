// SPDX-License-Identifier: GPL-2.0
// Rows rise, equal rules are one, gaps are filled and nothing else.
#include <catch2/catch.hpp>

#include <random>

#include "elf/segments.h"
#include "tables/row_builder.h"
#include "tables/rule_text.h"

extern "C" {
#include "types.h"
}

using uwind::Row;
using uwind::RowBuilder;
using uwind::Rule;
using uwind::TableRows;

namespace {

Rule rule(std::int32_t offset)
{
	Rule made;
	made.kind = 1;
	made.cfa_reg = 7;
	made.cfa_off = offset;
	return made;
}

TableRows table(std::initializer_list<std::pair<std::uint32_t, Rule>> rows)
{
	RowBuilder builder(8);
	for (const auto& [start, made] : rows)
		CHECK(builder.add(start, made));
	return builder.take();
}

// "10:8 20:-": start and CFA offset, - for NONE.
std::string text(const TableRows& rows)
{
	std::string text;
	for (const Row& row : rows.rows) {
		const Rule& at = rows.rules[row.rule];
		text += (text.empty() ? "" : " ") + std::to_string(row.start) + ":" +
			(at.kind ? std::to_string(at.cfa_off) : "-");
	}
	return text;
}

} // namespace

TEST_CASE("equal rules are stored once and make no new row")
{
	const TableRows rows = table({{1, rule(8)}, {2, rule(8)}, {3, rule(16)}, {4, rule(8)}});
	CHECK(text(rows) == "1:8 3:16 4:8");
	CHECK(rows.rules.size() == 3); // NONE is always there
}

TEST_CASE("a row at the same start replaces, and may merge with the one before")
{
	CHECK(text(table({{1, rule(8)}, {2, rule(16)}, {2, rule(24)}})) == "1:8 2:24");
	CHECK(text(table({{1, rule(8)}, {2, rule(16)}, {2, rule(8)}, {3, rule(16)}})) == "1:8 3:16");
}

TEST_CASE("rows of kind none in front are left out")
{
	CHECK(text(table({{1, Rule{}}, {2, rule(8)}, {3, Rule{}}})) == "2:8 3:-");
}

TEST_CASE("65535 rules are taken, one more becomes a row of kind none")
{
	RowBuilder builder(70000);
	for (std::uint32_t i = 1; i < 65535; i++)
		REQUIRE(builder.add(i, rule(static_cast<std::int32_t>(i))));
	CHECK_FALSE(builder.add(65535, rule(70000)));
	CHECK_FALSE(builder.full());
	CHECK(builder.add(65536, rule(1)));
	const TableRows rows = builder.take();
	CHECK(rows.rules.size() == 65535);
	CHECK(rows.rules[rows.rows[65534].rule].kind == 0);
	CHECK(rows.rows.size() == 65536);
}

TEST_CASE("the row after the last that a table takes is refused")
{
	RowBuilder builder(16u << 20);
	for (std::uint32_t i = 0; i < 16u << 20; i++)
		if (!builder.add(i, rule(static_cast<std::int32_t>(i % 2))))
			FAIL("refused at " << i);
	CHECK_FALSE(builder.add(16u << 20, rule(2)));
	CHECK(builder.full());
}

TEST_CASE("a patch fills gaps and nothing else")
{
	const auto filled = [](TableRows rows, const TableRows& patch) {
		uwind::fill_gaps(rows, patch);
		return text(rows);
	};
	const TableRows rows = table({{10, rule(8)}, {20, Rule{}}, {30, rule(16)}, {40, Rule{}}});
	CHECK(filled(rows, {}) == "10:8 20:- 30:16 40:-");
	CHECK(filled(rows, table({{0, rule(1)}, {100, Rule{}}})) == "0:1 10:8 20:1 30:16 40:1 100:-");
	CHECK(filled(rows, table({{12, rule(1)}, {18, Rule{}}})) == "10:8 20:- 30:16 40:-");
	CHECK(filled(rows, table({{22, rule(1)}, {24, rule(2)}, {26, Rule{}}})) ==
	      "10:8 20:- 22:1 24:2 26:- 30:16 40:-");
	CHECK(filled(rows, table({{15, rule(8)}, {25, Rule{}}})) == "10:8 25:- 30:16 40:-");
	CHECK(filled({}, table({{5, rule(1)}, {6, Rule{}}})) == "5:1 6:-");
}

namespace {

// The CFA offset at each place up to 64; 0: none.
std::vector<std::int32_t> offsets_of_places(const TableRows& rows)
{
	std::vector<std::int32_t> result(64);
	for (std::size_t i = 0; i < rows.rows.size(); i++)
		for (std::size_t at = rows.rows[i].start; at < result.size(); at++)
			result[at] = rows.rules[rows.rows[i].rule].cfa_off;
	return result;
}

// Up to max_rows of them, the last of kind NONE.
TableRows random_table(std::minstd_rand& random, unsigned max_rows)
{
	RowBuilder builder(8);
	std::uint32_t start = random() % 32;
	for (unsigned i = random() % max_rows; i; i--, start += 1 + random() % 6)
		builder.add(start, random() % 2 ? rule(8 * static_cast<std::int32_t>(1 + random() % 3)) : Rule{});
	builder.add(start, Rule{});
	return builder.take();
}

} // namespace

TEST_CASE("filled gaps are those of each place, and rows stay different from their neighbours")
{
	std::minstd_rand random(1);
	for (unsigned i = 0; i < 20000; i++) {
		TableRows rows = random_table(random, 9);
		const TableRows patch = random_table(random, i % 2 ? 3 : 9);
		std::vector<std::int32_t> expected = offsets_of_places(rows);
		const std::vector<std::int32_t> offered = offsets_of_places(patch);
		for (std::size_t at = 0; at < expected.size(); at++)
			expected[at] = expected[at] ? expected[at] : offered[at];
		INFO(text(rows) << " filled by " << text(patch));
		uwind::fill_gaps(rows, patch);
		REQUIRE(offsets_of_places(rows) == expected);
		for (std::size_t at = 1; at < rows.rows.size(); at++) {
			REQUIRE(rows.rows[at - 1].start < rows.rows[at].start);
			REQUIRE(rows.rows[at - 1].rule != rows.rows[at].rule);
		}
		REQUIRE((rows.rows.empty() || rows.rows[0].rule));
	}
}

TEST_CASE("a table whose rules are numbered in another way is filled like others")
{
	TableRows rows;
	rows.rules = {rule(8), Rule{}, rule(8)};
	rows.rows = {{10, 0}, {20, 1}, {30, 2}, {40, 1}};
	uwind::fill_gaps(rows, table({{20, rule(8)}, {25, Rule{}}, {40, rule(16)}, {50, Rule{}}}));
	CHECK(text(rows) == "10:8 25:- 30:8 40:16 50:-");
	CHECK(rows.rules.size() == 3);
}

TEST_CASE("stretches become rows in their order: the later start counts")
{
	CHECK(text(uwind::rows_of({{20, 30, rule(2)}, {0, 10, rule(1)}})) == "0:1 10:- 20:2 30:-");
	CHECK(text(uwind::rows_of({{0, 10, rule(1)}, {10, 20, rule(2)}})) == "0:1 10:2 20:-");
	CHECK(text(uwind::rows_of({{0, 10, rule(1)}, {5, 20, rule(2)}})) == "0:1 5:2 20:-");
	CHECK(text(uwind::rows_of({})) == "");
}

TEST_CASE("addresses become offsets only if a segment holds all of them")
{
	const std::vector<uwind::Segment> segments = {{0x1000, 0x100, 0x400}, {0x2000, 0x100, 0xffffff80}};
	const auto range = uwind::offsets_of(segments, 0x1010, 0xf0);
	REQUIRE(range);
	CHECK(range->start == 0x410);
	CHECK(range->end == 0x500);
	CHECK_FALSE(uwind::offsets_of(segments, 0x1010, 0xf1));
	CHECK_FALSE(uwind::offsets_of(segments, 0xfff, 1));
	CHECK_FALSE(uwind::offsets_of(segments, 0x2000, 0x80));
	CHECK(uwind::offsets_of(segments, 0x2000, 0x7f));
	CHECK_FALSE(uwind::offsets_of(segments, ~0ull, 2));
}

TEST_CASE("rules read as people write them")
{
	using uwind::Arch;
	using uwind::rule_text;
	Rule all;
	CHECK(rule_text(all, Arch::x86_64) == "none");
	all.kind = 2;
	CHECK(rule_text(all, Arch::x86_64) == "outermost");
	all.kind = 3;
	CHECK(rule_text(all, Arch::x86_64) == "signal frame");
	all.kind = 4;
	CHECK(rule_text(all, Arch::x86_64) == "thread start");
	all.kind = 9;
	CHECK(rule_text(all, Arch::x86_64) == "?");
	Rule frame{1, 1, 6, 3, 7, 5, 0, 0, -16, 8, 24, 0};
	CHECK(rule_text(frame, Arch::x86_64) == "cfa=[rbp-16]+8 ra=[rsp+24] rbp=lost");
	frame = {1, 0, 31, 0, 0, 4, 21, 0, 16, 0, 0, 0};
	CHECK(rule_text(frame, Arch::arm64) == "cfa=sp+16 ra=x30 x29=x21");
}

TEST_CASE("rules are numbered by use, and those that no row uses go")
{
	TableRows rows = table({{1, rule(8)},
				{2, rule(16)},
				{3, rule(24)},
				{4, rule(16)},
				{5, rule(32)},
				{6, rule(16)},
				{7, rule(32)},
				{8, Rule{}}});
	rows.rows[2].rule = rows.rows[0].rule; // 24 is of no use now
	const std::string before = text(rows);
	uwind::number_by_use(rows);
	CHECK(text(rows) == before);
	REQUIRE(rows.rules.size() == 4);
	CHECK(rows.rules[0] == Rule{});
	CHECK(rows.rules[1] == rule(16));
	CHECK(rows.rules[2] == rule(8)); // used as often as the next, and first
	CHECK(rows.rules[3] == rule(32));
}

TEST_CASE("a table without rules stays as it is")
{
	TableRows rows;
	uwind::number_by_use(rows);
	CHECK(rows.rules.empty());
}

TEST_CASE("what a table says about ranges is cut out, and the rest stays")
{
	const auto rule = [](std::uint8_t kind) {
		uwind::Rule made;
		made.kind = kind;
		return made;
	};
	const uwind::Rule a = rule(UW_RULE_OUTERMOST), b = rule(UW_RULE_THREAD_START);
	const auto text = [&](const uwind::TableRows& table) {
		std::string said;
		for (const uwind::Row& row : table.rows)
			said += std::to_string(row.start) + (table.rules[row.rule] == a   ? "a "
							     : table.rules[row.rule] == b ? "b "
											  : "- ");
		return said;
	};
	const auto cut = [&](const std::vector<uwind::OffsetRange>& ranges) {
		uwind::TableRows table = uwind::rows_of({{10, 20, a}, {20, 30, b}, {40, 50, a}});
		const uwind::TableRows inside = uwind::cut_out(table, ranges);
		return text(table) + "| " + text(inside);
	};
	CHECK(cut({}) == "10a 20b 30- 40a 50- | ");
	CHECK(cut({{10, 30}}) == "40a 50- | 10a 20b 30- ");
	CHECK(cut({{15, 25}}) == "10a 15- 25b 30- 40a 50- | 15a 20b 25- ");
	CHECK(cut({{12, 14}, {16, 18}}) == "10a 12- 14a 16- 18a 20b 30- 40a 50- | 12a 14- 16a 18- ");
	CHECK(cut({{0, 5}, {30, 40}, {60, 70}}) == "10a 20b 30- 40a 50- | ");
	CHECK(cut({{0, 100}}) == "| 10a 20b 30- 40a 50- ");
}
