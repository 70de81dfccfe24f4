// SPDX-License-Identifier: GPL-2.0
// SFrame bytes that real assemblers and linkers wrote.
#include <catch2/catch.hpp>

#include "unit/core/sframe_encoder.h"

using namespace core;
using namespace core::sframe;

namespace {

const uw_rule none = kind_rule(UW_RULE_NONE);
const uw_rule outermost = kind_rule(UW_RULE_OUTERMOST);

uw_rule x86_sp(s32 off)
{
	return x86_sframe_rule(UW_X86_SP, off);
}

// One function at the segment's start, its V3 attributes and rows given.
Lowered lower_raw(const std::string& hex, u32 rows, u32 bytes, uw_arch arch)
{
	Function function{segment_address, bytes, {}};
	function.raw = from_hex(hex);
	function.raw_rows = rows;
	return lower(Section{3, 5, arch, section_address, {function}});
}

} // namespace

TEST_CASE("V3 of an x86-64 program with a PLT")
{
	Bytes bytes = from_hex("e2de 03 05 03 00 f8 00 | 03000000 07000000 24000000 00000000 30000000"
			       "4cefffffffffffff 10000000 00000000"
			       "4cefffffffffffff 20000000 0b000000"
			       "5cefffffffffffff 27000000 16000000"
			       "0200 00 00 00 | 00 03 10 | 06 03 18"
			       "0200 10 00 10 | 00 03 08 | 0b 03 10"
			       "0300 00 00 00 | 00 03 08 | 01 03 10 | 26 03 08");
	Lowered lowered = lower(bytes, 0x2098, UW_ARCH_X86_64, {{0x1000, 0x100, 0x1000}});
	REQUIRE(lowered.why == "");
	const Rows expected = {{0x1000, x86_sp(16)}, {0x1006, x86_sp(24)}, {0x1010, x86_sp(8)}, {0x101b, x86_sp(16)},
			       {0x1020, x86_sp(8)},  {0x102b, x86_sp(16)}, {0x1030, x86_sp(8)}, {0x1031, x86_sp(16)},
			       {0x1056, x86_sp(8)},  {0x1057, none}};
	REQUIRE(lowered.draft->draft.nr_rows == expected.size());
	for (const auto& [start, rule] : expected) {
		REQUIRE(lowered.find(start) == rule);
		if (start != 0x1000)
			REQUIRE_FALSE(lowered.find(start - 1) == rule);
	}
}

TEST_CASE("V3 flexible rows of a function that realigns its stack")
{
	Lowered lowered = lower_raw("0400 00 01 00 | 00 04 39 08 | 05 04 51 00 | 11 0a 51 00 00 33 00"
				    "15 0a 33 f0 00 33 00",
				    4, 0x40, UW_ARCH_X86_64);
	REQUIRE(lowered.why == "");
	REQUIRE(lowered.find(0x1000) == x86_sp(8));
	REQUIRE(lowered.find(0x1005) == x86_sframe_rule(10, 0));
	uw_rule saved = x86_sframe_rule(10, 0);
	saved.fp_place = UW_PLACE_REG_MEM;
	saved.fp_reg = UW_X86_FP;
	REQUIRE(lowered.find(0x1011) == saved);
	saved.cfa_kind = UW_CFA_MEM;
	saved.cfa_reg = UW_X86_FP;
	saved.cfa_off = -16;
	REQUIRE(lowered.find(0x1015) == saved);
}

TEST_CASE("V3 of an arm64 function that signs its return address")
{
	Lowered lowered = lower_raw("0500 00 00 00 | 00 03 00 | 04 83 00 | 08 87 20 e8 e0 | 14 83 00 | 18 03 00", 5,
				    0x1c, UW_ARCH_ARM64);
	REQUIRE(lowered.why == "");
	REQUIRE(lowered.find(0x1000) == arm64_leaf(0));
	REQUIRE(lowered.find(0x1004) == arm64_leaf(0));
	REQUIRE(lowered.find(0x1008) == arm64_rule(UW_ARM64_SP, 32, -24, -32));
	REQUIRE(lowered.find(0x1014) == arm64_leaf(0));
}

TEST_CASE("V3 of an arm64 function that saves the link register only")
{
	Lowered lowered = lower_raw("0200 20 00 00 | 00 03 00 | 0c 85 10 f8", 2, 0x20, UW_ARCH_ARM64);
	REQUIRE(lowered.why == "");
	REQUIRE(lowered.find(0x100c) == arm64_rule(UW_ARM64_SP, 16, -8));
}

TEST_CASE("a row without data words is the outermost function")
{
	Lowered lowered = lower_raw("0100 00 00 00 | 00 00", 1, 0x20, UW_ARCH_ARM64);
	REQUIRE(lowered.why == "");
	REQUIRE(lowered.find(0x1000) == outermost);
	REQUIRE(lowered.find(0x1020) == none);
}

TEST_CASE("V2 did not mark the outermost function")
{
	Function start{segment_address, 0x20, {{0, true, {0}, 0}}};
	Lowered lowered = lower(Section{2, 1, UW_ARCH_ARM64, section_address, {start}});
	REQUIRE(lowered.find(0x1000) == arm64_leaf(0));
}

TEST_CASE("V1 of an x86-64 program with a PLT")
{
	Bytes bytes = from_hex("e2de0101 0300f800 04000000 0a000000 25000000 00000000 44000000 40efffff"
			       "10000000 1f000000 02000000 0060efff ff070000 00000000 00010000 000070ef"
			       "ffff1d00 00000300 00000400 0000008d efffff3b 01000012 00000003 00000001"
			       "00030800 03080105 10f00404 10f01c05 08f00000 03080700 2310043a 01030800"
			       "03100603 18");
	Lowered lowered = lower(bytes, 0x4020c0, UW_ARCH_X86_64, {{0x401000, 0x188, 0x1000}});
	REQUIRE(lowered.why == "");
	REQUIRE(lowered.find(0x1006) == x86_sp(24));
	REQUIRE(lowered.find(0x1010) == none);
	REQUIRE(lowered.find(0x1026) == x86_sp(8));
	REQUIRE(lowered.find(0x1027) == none);
	REQUIRE(lowered.find(0x1034) == x86_sframe_rule(UW_X86_FP, 16, -16));
	REQUIRE(lowered.find(0x1054) == x86_sp(1040));
	REQUIRE(lowered.find(0x1188) == none);
}
