// SPDX-License-Identifier: GPL-2.0
// Going on with a walk that the module has sent.
#include <catch2/catch.hpp>

#include "unit/late_walk.h"
#include "walk/unwinder.h"

using namespace uwind;

namespace {

constexpr std::uint64_t code = 0x400000;

Unfinished at_first_instruction()
{
	return unfinished_at(code + 0x10, code + 0x110);
}

CodeMapping mapping_of(const TableContent& content)
{
	auto table = CoreUnwinder().table(content);
	REQUIRE(table);
	return {code, code + 0x10000, 0, *table, false};
}

} // namespace

TEST_CASE("a walk goes on with the table that it lacked")
{
	const auto found = CoreUnwinder().go_on(at_first_instruction(), {}, {mapping_of(two_functions())}, 64);
	CHECK(found.stop == Stop::OUTERMOST);
	CHECK_FALSE(found.missed);
	REQUIRE(found.frames.size() == 2);
	CHECK(found.frames[0].pc == code + 0x10);
	CHECK(found.frames[0].method == Method::PC);
	CHECK(found.frames[0].stack_bytes == 16u);
	CHECK(found.frames[1].pc == code + 0x110);
	CHECK(found.frames[1].offset == 0x110);
	CHECK(found.frames[1].file == 1);
	CHECK(found.frames[1].method == Method::EH_FRAME);
}

TEST_CASE("what the module had found stays, within the limit of frames")
{
	auto unfinished = at_first_instruction();
	unfinished.nr_frames = 1;
	const StackFrame before{0x1234, 0x34, 77, 8, Method::PC};
	const auto found = CoreUnwinder().go_on(unfinished, {before}, {mapping_of(two_functions())}, 2);
	CHECK(found.stop == Stop::DEPTH);
	REQUIRE(found.frames.size() == 2);
	CHECK(found.frames[0].pc == 0x1234);
	CHECK(found.frames[0].file == 77);
	CHECK(found.frames[1].pc == code + 0x10);
}

TEST_CASE("a mapping without a table is named, unless it never has one")
{
	const bool has_none = GENERATE(false, true);
	const CodeMapping other{0x100000, 0x200000, 0, nullptr, false},
		bare{code, code + 0x10000, 0, nullptr, has_none};
	const auto found = CoreUnwinder().go_on(at_first_instruction(), {}, {other, bare}, 64);
	CHECK(found.stop == Stop::NO_TABLE);
	CHECK(found.missed == (has_none ? std::nullopt : std::optional<std::size_t>(1)));
}

TEST_CASE("a table for other code is none")
{
	const auto found =
		CoreUnwinder().go_on(at_first_instruction(), {}, {mapping_of(two_functions(Arch::i386))}, 64);
	CHECK(found.stop == Stop::NO_TABLE);
	CHECK_FALSE(found.missed);
}

TEST_CASE("the bytes of the stack end before the stack does")
{
	auto unfinished = at_first_instruction();
	unfinished.stack = StackBytes(std::vector<std::uint8_t>(8));
	const auto found = CoreUnwinder().go_on(unfinished, {}, {mapping_of(two_functions())}, 64);
	CHECK(found.stop == Stop::BAD_READ);
	CHECK(found.frames.size() == 1);
}

TEST_CASE("without SP nothing is found")
{
	auto unfinished = at_first_instruction();
	unfinished.known = 0;
	const auto found = CoreUnwinder().go_on(unfinished, {}, {mapping_of(two_functions())}, 64);
	CHECK(found.stop == Stop::BAD_REGS);
	CHECK(found.frames.empty());
}

TEST_CASE("a broken table is refused")
{
	TableRows rows = two_functions();
	rows.rows[1].start = 0;
	const auto table = CoreUnwinder().table(rows);
	REQUIRE_FALSE(table);
	CHECK(table.error().code == EBADMSG);
	CHECK_FALSE(CoreUnwinder().table(SframeSection{{1, 2, 3}, 0, {}}));
}

TEST_CASE("what an epilogue has popped is in its register, though its place below SP was not copied")
{
	TableRows rows = two_functions();
	rows.rules[0].fp_place = UW_PLACE_CFA_MEM;
	rows.rules[0].fp_off = -48;
	rows.rules[0].base_slot = 7;
	auto unfinished = at_first_instruction();
	SECTION("if it is known")
	{
		unfinished.known |= 1u << UW_X86_FP | 1u << UW_X86_BX;
		CHECK(CoreUnwinder().go_on(unfinished, {}, {mapping_of(rows)}, 64).stop == Stop::OUTERMOST);
	}
	SECTION("else its place cannot be read")
	{
		CHECK(CoreUnwinder().go_on(unfinished, {}, {mapping_of(rows)}, 64).stop == Stop::BAD_READ);
	}
	SECTION("and a return address says nothing of it")
	{
		unfinished.known |= 1u << UW_X86_FP | 1u << UW_X86_BX;
		unfinished.exact = false;
		unfinished.nr_frames = 1;
		const StackFrame before{0x1234, 0x34, 77, 8, Method::PC};
		CHECK(CoreUnwinder().go_on(unfinished, {before}, {mapping_of(rows)}, 64).stop == Stop::BAD_READ);
	}
}
