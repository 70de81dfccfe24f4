// SPDX-License-Identifier: GPL-2.0
// States have numbers, and steps between them are kept: neither shows in the rows.
#include "tables/cfi/frame_states.h"

#include "unit/tables/lower.h"

using namespace image;

namespace {

enum : std::uint8_t { advance = 0x40, offset = 0x80, remember = 0x0a, restore_state = 0x0b, def_cfa_offset = 0x0e };

uwind::FrameState state_with(std::int64_t cfa_offset)
{
	uwind::FrameState state;
	state.cfa.offset = state.cfa_offset = cfa_offset;
	return state;
}

} // namespace

TEST_CASE("equal frame states of a kind have one number")
{
	uwind::FrameStates states(0);
	const uwind::FrameNumber first = states.number_of(state_with(8), 0);
	CHECK(states.number_of(state_with(16), 0) != first);
	CHECK(states.number_of(state_with(8), 1) != first);
	CHECK(states.number_of(state_with(8), 0) == first);
	CHECK(states[first] == state_with(8));
}

TEST_CASE("a step between frame states is known by its instruction's bytes alone")
{
	uwind::FrameStates states(0);
	states.note_step(1, 0xaaaa100e, 2, 7);
	REQUIRE(states.find_step(1, 0xbbbb100e));
	CHECK(states.find_step(1, 0xbbbb100e)->after == 7);
	CHECK_FALSE(states.find_step(1, 0xaaaa180e));
	CHECK_FALSE(states.find_step(2, 0xaaaa100e));
	states.note_step(1, 0x01020384, 5, 7);
	CHECK_FALSE(states.find_step(1, 0x01020384)); // longer than what is compared
	states.clear();
	CHECK_FALSE(states.find_step(1, 0xaaaa100e));
}

TEST_CASE("a function with more states than are numbered at a time has the rows of all of them")
{
	constexpr std::uint32_t changes = 1500, states_per_change = 4;
	ByteVector instructions = {remember};
	for (std::uint32_t i = 1; i <= changes * states_per_change; i++) {
		if (i % states_per_change == 1)
			instructions.push_back(advance | 1);
		instructions = std::move(instructions) + ByteVector{def_cfa_offset} + uleb(8 + 8 * i);
	}
	Image file;
	CfiText cfi(file.next_address());
	cfi.fde(cfi.cie(CieText{}), text_address, changes + 2, instructions + ByteVector{advance | 1, restore_state});
	const uwind::TableRows table = lower(file.section(".eh_frame", cfi.bytes()));
	REQUIRE(table.rows.size() == changes + 3);
	for (std::uint32_t i = 0; i <= changes; i++)
		REQUIRE(table.rules[table.rows[i].rule].cfa_off ==
			static_cast<std::int32_t>(8 + 8 * states_per_change * i));
	CHECK(table.rows[changes + 1].rule == table.rows[0].rule);
}

TEST_CASE("the same instructions do something else in functions of another CIE")
{
	CieText half;
	half.data_factor = -4;
	Image file;
	CfiText cfi(file.next_address());
	const std::uint64_t whole_cie = cfi.cie(CieText{}), half_cie = cfi.cie(half);
	const ByteVector instructions = {offset | 6, 4};
	cfi.fde(whole_cie, text_address, 4, instructions);
	cfi.fde(half_cie, text_address + 4, 4, instructions);
	cfi.fde(whole_cie, text_address + 8, 4, instructions);
	CHECK(text_of(lower(file.section(".eh_frame", cfi.bytes())), uwind::Arch::x86_64) ==
	      "0 cfa=rsp+8 ra=[cfa-8] rbp=[cfa-32]; 4 cfa=rsp+8 ra=[cfa-4] rbp=[cfa-16]; "
	      "8 cfa=rsp+8 ra=[cfa-8] rbp=[cfa-32]; 12 none");
}

TEST_CASE("a step that is known is not made where its instruction is cut short")
{
	Image file;
	CfiText cfi(file.next_address());
	const std::uint64_t cie = cfi.cie(CieText{});
	cfi.fde(cie, text_address, 4, {offset | 6, 0});
	const std::uint64_t cut = cfi.fde(cie, text_address + 4, 4, {0, 0, offset | 6, 0, 0, 0, 0});
	cfi.bytes()[cut] = static_cast<std::uint8_t>(cfi.bytes()[cut] - 4); // ends before the operand
	cfi.bytes().resize(cfi.bytes().size() - 4);
	const uwind::TableRows table = lower(file.section(".eh_frame", cfi.bytes()));
	CHECK(text_of(table, uwind::Arch::x86_64) == "0 cfa=rsp+8 ra=[cfa-8] rbp=[cfa]; 4 unknown; 8 none");
	CHECK(table.inexpressible.at("instructions end in the middle of one") == 1);
}
