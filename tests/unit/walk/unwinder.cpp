// SPDX-License-Identifier: GPL-2.0
// Going on with a walk that the module has sent.
#include <catch2/catch.hpp>

#include "unit/core/sframe_encoder.h"
#include "walk/unwinder.h"

using namespace uwind;

namespace {

constexpr std::uint64_t code = 0x400000, stack = 0x7000;

Rule frame_rule(std::int32_t cfa_off)
{
	Rule rule;
	rule.kind = UW_RULE_FRAME;
	rule.cfa_reg = UW_X86_SP;
	rule.cfa_off = cfa_off;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -8;
	return rule;
}

// A function with a frame of 16 bytes, and one that is the outermost.
TableRows two_functions(Arch arch = Arch::x86_64)
{
	Rule outermost;
	outermost.kind = UW_RULE_OUTERMOST;
	TableRows rows;
	rows.rows = {{0, 0}, {0x100, 1}};
	rows.rules = {frame_rule(16), outermost};
	rows.method = unsigned(Method::EH_FRAME);
	rows.arch = arch;
	return rows;
}

Unfinished at_first_instruction()
{
	Unfinished unfinished;
	unfinished.arch = Arch::x86_64;
	unfinished.file = 1;
	unfinished.method = Method::PC;
	unfinished.exact = true;
	unfinished.pc = code + 0x10;
	unfinished.known = 1u << UW_X86_SP;
	unfinished.registers[UW_X86_SP] = stack;
	std::vector<std::uint8_t> bytes(16);
	const std::uint64_t caller = code + 0x110;
	std::memcpy(bytes.data() + 8, &caller, sizeof(caller));
	unfinished.stack = StackBytes(bytes);
	return unfinished;
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

TEST_CASE("a broken table is refused")
{
	TableRows rows = two_functions();
	rows.rows[1].start = 0;
	const auto table = CoreUnwinder().table(rows);
	REQUIRE_FALSE(table);
	CHECK(table.error().code == EBADMSG);
	CHECK_FALSE(CoreUnwinder().table(SframeSection{{1, 2, 3}, 0, {}}));
}
