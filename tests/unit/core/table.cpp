// SPDX-License-Identifier: GPL-2.0
// Drafts and packed tables.
#include <catch2/catch.hpp>

#include <random>

#include "unit/core/world.h"

using namespace core;

namespace {

const uw_rule none = kind_rule(UW_RULE_NONE);

uw_rule numbered(int number)
{
	return number ? x86_rule(UW_X86_SP, 8 * number) : none;
}

void compare_around_rows(const Draft& draft, const Table& table)
{
	for (u32 i = 0; i < draft.draft.nr_rows; i++) {
		u64 start = draft.draft.rows[i].start;
		for (u64 offset : {start - 1, start, start + 1, start ^ 0x8000, start + 0x10000})
			if (offset < 1ull << 33)
				REQUIRE(table.find(offset) == draft.naive_find(offset));
	}
}

} // namespace

TEST_CASE("a packed table finds the same rule as a linear search, at every offset")
{
	std::mt19937 random(1);
	for (int round = 0; round < 40; round++) {
		Draft draft;
		u32 start = random() % 70000;
		u32 step = round % 2 ? 40 : 9000;
		int rows = 1 + static_cast<int>(random() % 60);
		for (int i = 0; i < rows; i++) {
			REQUIRE(draft.add(start, numbered(static_cast<int>(random() % 5))) == 0);
			start += 1 + random() % step;
		}
		Table table(draft.draft);
		for (u64 offset = 0; offset < start + 70000ull; offset += 1 + (round % 2 ? 0 : 7))
			REQUIRE(table.find(offset) == draft.naive_find(offset));
		compare_around_rows(draft, table);
	}
}

TEST_CASE("rows far apart leave blocks without rows, which the row before covers")
{
	Draft draft;
	std::mt19937 random(2);
	u64 start = 0x12345;
	while (start <= 0xffffffff) {
		REQUIRE(draft.add(static_cast<u32>(start), numbered(1 + static_cast<int>(random() % 9))) == 0);
		start += 1 + random() % 0x1000000;
	}
	Table table(draft.draft);
	compare_around_rows(draft, table);
	REQUIRE(table.table.block_shift == 16);
	REQUIRE(table.table.first_block == 1);
}

TEST_CASE("no rule is found below the first row")
{
	Table table = make_table({{0x20010, numbered(1)}});
	REQUIRE(table.find(0) == none);
	REQUIRE(table.find(0x1ffff) == none);
	REQUIRE(table.find(0x2000f) == none);
	REQUIRE(table.find(0x20010) == numbered(1));
}

TEST_CASE("the last row reaches to the end of the address space")
{
	Table table = make_table({{0x10, numbered(1)}, {0xfffffff0, numbered(2)}});
	REQUIRE(table.find(0xffffffff) == numbered(2));
	REQUIRE(table.find(0x100000000) == numbered(2));
	REQUIRE(table.find(~0ull) == numbered(2));
}

TEST_CASE("a row of kind NONE is as good as no row")
{
	Table table = make_table({{0, numbered(1)}, {16, none}, {32, numbered(1)}});
	REQUIRE(uw_table_find(&table.table, 15));
	REQUIRE_FALSE(uw_table_find(&table.table, 16));
	REQUIRE_FALSE(uw_table_find(&table.table, 31));
	REQUIRE(uw_table_find(&table.table, 32));
}

TEST_CASE("a wide table takes 4 bytes a row, 4 a block, and 24 a rule")
{
	Draft draft;
	for (u32 i = 0; i < 1024; i++)
		REQUIRE(draft.add(i * 4096, numbered(1 + static_cast<int>(i % 2))) == 0);
	Table table(draft.draft);
	REQUIRE(table.table.row);
	REQUIRE(table.table.block_shift == 16); // 16 rows of 4 KiB each
	REQUIRE(table.table.nr_blocks == 64);
	REQUIRE(uw_table_form_of(&draft.draft).bytes == 4 * 1024 + 4 * (64 + 1) + 24 * 2);
	STATIC_REQUIRE(sizeof(uw_table_row) == 4);
	STATIC_REQUIRE(sizeof(uw_rule) == 24);
}

TEST_CASE("a narrow table takes 2 bytes a row, 518 for 64 KiB of text, 24 a rule, and 8 for a row with a rare rule")
{
	constexpr u32 rows = 8192, rules = 300, rare = rows / rules * (rules - 255);
	Draft draft(rows);
	for (u32 i = 0; i < rows; i++)
		REQUIRE(draft.add(i * 16, numbered(1 + static_cast<int>(i % rules))) == 0);
	Table table(draft.draft);
	REQUIRE_FALSE(table.table.row);
	REQUIRE(table.table.nr_blocks == 2);
	REQUIRE(table.table.nr_rare == rare);
	REQUIRE(uw_table_form_of(&draft.draft).bytes == 2 * rows + 2 * 518 + 24 * rules + 8 * rare);
}

TEST_CASE("a narrow table finds the row at or below every offset, whatever its rule")
{
	std::mt19937 random(3);
	for (u32 step : {3, 40, 600}) {
		std::vector<std::pair<u32, int>> rows;
		Draft draft(20000);
		u32 start = 0x2fff0 + random() % 64;
		for (int i = 0; i < 20000; i++, start += 1 + random() % step + (i == 9999 ? 0x51234 : 0)) {
			rows.push_back({start, static_cast<int>(random() % (i % 3 ? 20 : 400))});
			REQUIRE(draft.add(start, numbered(rows.back().second)) == 0);
		}
		Table table(draft.draft);
		REQUIRE(!table.table.row == (step < 600));
		std::size_t next = 0;
		bool same = true;
		for (u32 at = 0x2ff00; at < start + 0x20000; at++) {
			while (next < rows.size() && rows[next].first <= at)
				next++;
			same = same && table.find(at) == numbered(next ? rows[next - 1].second : 0);
		}
		REQUIRE(same);
	}
}

TEST_CASE("a table with a row at each byte of 64 KiB is wide, and with one less it is narrow")
{
	constexpr u32 rows = 0x18000;
	for (u32 missing : {0x17u, 0xffffu, 0x10017u}) {
		Draft draft(rows);
		for (u32 i = 0; i < rows; i++)
			if (i != missing)
				draft.add(i, numbered(1 + static_cast<int>(i % 3)));
		Table table(draft.draft);
		REQUIRE(!table.table.row == (missing < 0x10000));
		bool same = true;
		for (u32 i = 0; i < rows; i++)
			same = same && table.find(i) == numbered(1 + static_cast<int>((i == missing ? i - 1 : i) % 3));
		REQUIRE(same);
	}
}

TEST_CASE("a draft without rows makes a table that finds nothing")
{
	const Draft draft;
	const Table table(draft.draft);
	REQUIRE(uw_table_form_of(&draft.draft).bytes == 4);
	REQUIRE_FALSE(uw_table_find(&table.table, 0));
	REQUIRE_FALSE(uw_table_find(&table.table, ~0ull));
}

TEST_CASE("blocks of wide tables never add more than a sixteenth to a table's rows, unless they are 64 KiB")
{
	for (u32 step : {1, 3, 17, 100, 4000, 70000}) {
		Draft draft;
		for (u32 i = 0; i < 4000; i++)
			REQUIRE(draft.add(i * step, numbered(1 + static_cast<int>(i % 2))) == 0);
		Table table(draft.draft);
		REQUIRE(table.table.block_shift >= 8);
		bool few = table.table.nr_blocks <= 4000 / 16;
		REQUIRE((few || table.table.block_shift == 16 || !table.table.row));
		for (u64 at = 0; at < 4000ull * step; at += 1 + step / 3)
			REQUIRE(table.find(at) == numbered(1 + static_cast<int>(at / step % 2)));
	}
}

TEST_CASE("equal neighbours become one row")
{
	Draft draft;
	REQUIRE(draft.add(0, numbered(1)) == 0);
	REQUIRE(draft.add(8, numbered(1)) == 0);
	REQUIRE(draft.add(16, numbered(2)) == 0);
	REQUIRE(draft.draft.nr_rows == 2);
	REQUIRE(draft.draft.nr_rules == 2);
}

TEST_CASE("a row at the last row's start replaces it, and may merge with the one before")
{
	Draft draft;
	REQUIRE(draft.add(0, numbered(1)) == 0);
	REQUIRE(draft.add(8, none) == 0);
	REQUIRE(draft.add(8, numbered(2)) == 0);
	REQUIRE(draft.draft.nr_rows == 2);
	REQUIRE(draft.naive_find(8) == numbered(2));
	REQUIRE(draft.add(8, numbered(1)) == 0);
	REQUIRE(draft.draft.nr_rows == 1);
}

TEST_CASE("a row below the last one is refused")
{
	Draft draft;
	REQUIRE(draft.add(8, numbered(1)) == 0);
	REQUIRE(draft.add(7, numbered(2)) == -EINVAL);
	REQUIRE(draft.draft.nr_rows == 1);
}

TEST_CASE("a draft without room for the row says so")
{
	Draft draft(2);
	REQUIRE(draft.add(0, numbered(1)) == 0);
	REQUIRE(draft.add(1, numbered(2)) == 0);
	REQUIRE(draft.add(2, numbered(3)) == -E2BIG);
	REQUIRE(draft.add(1, numbered(3)) == 0);
}

TEST_CASE("a draft without room for the rule says so, and knows those it has")
{
	Draft draft(100, 2);
	REQUIRE(draft.add(0, numbered(1)) == 0);
	REQUIRE(draft.add(1, numbered(2)) == 0);
	REQUIRE(draft.add(2, numbered(3)) == -E2BIG);
	REQUIRE(draft.add(2, numbered(1)) == 0);
	REQUIRE(draft.draft.nr_rows == 3);
}

TEST_CASE("as many rules as a table may have are told apart")
{
	Draft draft(UW_MAX_RULES + 1, UW_MAX_RULES);
	for (u32 i = 0; i < UW_MAX_RULES; i++)
		REQUIRE(draft.add(i, numbered(static_cast<int>(i) + 1)) == 0);
	REQUIRE(draft.draft.nr_rules == UW_MAX_RULES);
	Table table(draft.draft);
	for (u32 i = 0; i < UW_MAX_RULES; i += 97)
		REQUIRE(table.find(i) == numbered(static_cast<int>(i) + 1));
	REQUIRE(table.find(UW_MAX_RULES - 1) == numbered(UW_MAX_RULES));
}

TEST_CASE("rules that all fall into one slot are still found, at a bounded cost")
{
	Draft draft(4096, 1024);
	draft.draft.hash_mask = 0; // every rule collides
	for (u32 i = 0; i < 900; i++)
		REQUIRE(draft.add(i, numbered(1 + static_cast<int>(i % 3))) == 0);
	REQUIRE(draft.draft.nr_rules == 1 + 600);
	for (u32 i = 0; i < draft.draft.nr_rows; i++)
		REQUIRE(draft.naive_find(i) == numbered(1 + static_cast<int>(i % 3)));
}

TEST_CASE("ready-made rows are refused for one reason each")
{
	Draft draft;
	uw_reject reject{};
	auto refused = [&](uw_arch arch = UW_ARCH_X86_64) {
		int err = uw_draft_check(&draft.draft, arch, &reject);
		return err == -EINVAL ? std::string(reject.why) : std::string();
	};

	REQUIRE(refused() == "no rows");
	REQUIRE(draft.add(8, numbered(1)) == 0);
	REQUIRE(draft.add(16, numbered(2)) == 0);
	REQUIRE(refused().empty());
	REQUIRE(refused(UW_ARCH_NONE) == "no such architecture");

	draft.draft.rows[1].start = 8;
	REQUIRE(refused() == "rows do not rise");
	REQUIRE(reject.offset == 1);
	draft.draft.rows[1].start = 16;
	draft.draft.rows[1].rule = 2;
	REQUIRE(refused() == "row names a rule that is not there");
	draft.draft.rows[1].rule = 1;
	draft.draft.rules[1].kind = UW_NR_RULE_KINDS;
	REQUIRE(refused() == "no such kind of rule");
	REQUIRE(reject.offset == 1);

	draft.draft.nr_rules = UW_MAX_RULES + 1;
	REQUIRE(refused() == "too many rules");
	draft.draft.nr_rows = UW_MAX_ROWS + 1;
	REQUIRE(refused() == "too many rows");
}

namespace {

std::string rule_refusal(const uw_rule& rule, uw_arch arch = UW_ARCH_X86_64)
{
	const char* why = nullptr;
	return uw_rule_check(&rule, arch, &why) ? why : "";
}

} // namespace

TEST_CASE("ordinary rules pass")
{
	REQUIRE(rule_refusal(uw_rule_frame_pointer_x86).empty());
	REQUIRE(rule_refusal(uw_rule_frame_pointer_arm64, UW_ARCH_ARM64).empty());
	REQUIRE(rule_refusal(arm64_leaf(0), UW_ARCH_ARM64).empty());
	for (int kind : {UW_RULE_NONE, UW_RULE_OUTERMOST, UW_RULE_SIGFRAME, UW_RULE_THREAD_START, UW_RULE_UNKNOWN})
		REQUIRE(rule_refusal(kind_rule(static_cast<uw_rule_kind>(kind))).empty());
	uw_rule rule = x86_rule(10, 0);
	rule.cfa_kind = UW_CFA_MEM;
	rule.cfa_add = 8;
	rule.fp_place = UW_PLACE_REG_MEM;
	rule.fp_reg = 15;
	REQUIRE(rule_refusal(rule).empty());
	rule.fp_place = UW_PLACE_LOST;
	rule.fp_reg = 0;
	REQUIRE(rule_refusal(rule).empty());
}

TEST_CASE("a rule is refused for one reason each")
{
	auto with = [](auto change) {
		uw_rule rule = x86_rule(UW_X86_SP, 8);
		change(rule);
		return rule_refusal(rule);
	};
	using R = uw_rule;

	REQUIRE(with([](R& r) { r.kind = UW_NR_RULE_KINDS; }) == "no such kind of rule");
	REQUIRE(with([](R& r) { r.base_slot = 2; }).empty());
	REQUIRE(with([](R& r) { r.base_slot = UW_BASE_LOST; }).empty());
	REQUIRE(with([](R& r) { r.kind = UW_RULE_OUTERMOST; }) == "only a rule of kind FRAME has such fields");
	REQUIRE(with([](R& r) { r.cfa_kind = UW_NR_CFA_KINDS; }) == "no such kind of CFA");
	REQUIRE(with([](R& r) { r.cfa_reg = UW_X86_RA; }) == "no such register");
	REQUIRE(with([](R& r) { r.cfa_add = 8; }) == "a CFA that is not in memory has one offset");
	REQUIRE(with([](R& r) { r.ra_place = UW_NR_PLACES; }) == "no such place");
	REQUIRE(with([](R& r) { r.fp_place = UW_NR_PLACES; }) == "no such place");
	REQUIRE(with([](R& r) { r.ra_place = UW_PLACE_LOST; }) == "the return address cannot be lost");
	REQUIRE(with([](R& r) { r.ra_reg = 1; }) == "a place relative to the CFA has no register");
	REQUIRE(with([](R& r) { r.fp_off = 8; }) == "a place that is SAME has no register or offset");
	REQUIRE(with([](R& r) {
			r.fp_place = UW_PLACE_LOST;
			r.fp_reg = 1;
		}) == "a place that is LOST has no register or offset");
	REQUIRE(with([](R& r) {
			r.fp_place = UW_PLACE_REG_VAL;
			r.fp_reg = UW_X86_RA;
		}) == "no such register");
	REQUIRE(rule_refusal(x86_rule(32, 0), UW_ARCH_ARM64) == "no such register");
	REQUIRE(rule_refusal(arm64_rule(31, 0, 0), UW_ARCH_ARM64).empty());
	uw_rule rbx = arm64_leaf(0);
	rbx.base_slot = 2;
	REQUIRE(rule_refusal(rbx, UW_ARCH_ARM64) == "arm64 has no base register");
	rbx = kind_rule(UW_RULE_OUTERMOST);
	rbx.base_slot = 2;
	REQUIRE(rule_refusal(rbx) == "only a rule of kind FRAME has such fields");
}

TEST_CASE("x86 has no link register for a return address to be in")
{
	uw_rule rule = x86_rule(UW_X86_SP, 8);
	rule.ra_place = UW_PLACE_SAME;
	rule.ra_off = 0;
	REQUIRE(rule_refusal(rule) == "return address in a link register that does not exist");
	REQUIRE(rule_refusal(rule, UW_ARCH_ARM64).empty());
}
