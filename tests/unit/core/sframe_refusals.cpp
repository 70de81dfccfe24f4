// SPDX-License-Identifier: GPL-2.0
// What an SFrame section is refused for, each for its own reason and place;
// and what is accepted although it looks odd.
#include <catch2/catch.hpp>

#include "unit/core/sframe_encoder.h"

using namespace core;
using namespace core::sframe;

namespace {

constexpr u64 text = segment_address;
constexpr std::size_t first_fde = 28;

Row sp_row(u32 start, s32 off)
{
	return {start, true, {off}};
}

// Two functions of 32 and 16 bytes, next to each other.
Section two_functions(u8 version = 2, uw_arch arch = UW_ARCH_X86_64)
{
	return {version,
		static_cast<u8>(version == 1 ? 1 : 5),
		arch,
		section_address,
		{{text, 32, {sp_row(0, 8), sp_row(4, 16)}}, {text + 32, 16, {sp_row(0, 8)}}}};
}

struct Refused {
	int err;
	std::string why;
	u64 at;
};

bool operator==(const Refused& a, const Refused& b)
{
	return a.err == b.err && a.why == b.why && a.at == b.at;
}

std::ostream& operator<<(std::ostream& out, const Refused& r)
{
	return out << r.err << " at " << r.at << ": " << r.why;
}

Refused refusal(const Bytes& bytes, uw_arch arch = UW_ARCH_X86_64)
{
	Lowered lowered = lower(bytes, arch);
	return {lowered.err, lowered.why, lowered.at};
}

Refused refusal(const Section& section)
{
	return refusal(section.encode(), section.arch);
}

Refused patched(Section section, std::size_t at, u64 value, unsigned bytes)
{
	Bytes out = section.encode();
	patch(out, at, value, bytes);
	return refusal(out, section.arch);
}

// The only function's rows, V3, and where they begin.
constexpr std::size_t v3_attr = first_fde + 16;
constexpr std::size_t v3_rows = v3_attr + 5;

Refused raw_rows(const std::string& hex, u32 rows, uw_arch arch = UW_ARCH_X86_64)
{
	Function function{text, 0x20, {}};
	function.raw = from_hex(hex);
	function.raw_rows = rows;
	return refusal(Section{3, 5, arch, section_address, {function}});
}

} // namespace

TEST_CASE("the sections that the refusals start from are accepted")
{
	for (u8 version : {1, 2, 3})
		for (uw_arch arch : {UW_ARCH_X86_64, UW_ARCH_ARM64})
			REQUIRE(refusal(two_functions(version, arch)) == Refused{0, "", 0});
}

TEST_CASE("a section shorter than its header is refused")
{
	Bytes bytes = two_functions().encode();
	for (std::size_t size = 0; size < 28; size++) {
		bytes.resize(size);
		REQUIRE(refusal(bytes) == Refused{-EBADMSG, "section is shorter than its header", 0});
	}
}

TEST_CASE("a header that is not ours is not supported")
{
	REQUIRE(patched(two_functions(), 0, 0xe2de, 2) == Refused{-EPROTONOSUPPORT, "section is big endian", 0});
	REQUIRE(patched(two_functions(), 2, 0, 1) == Refused{-EPROTONOSUPPORT, "unknown version of SFrame", 2});
	REQUIRE(patched(two_functions(), 2, 4, 1) == Refused{-EPROTONOSUPPORT, "unknown version of SFrame", 2});
	for (u8 abi : {0, 1, 2, 4, 255})
		REQUIRE(patched(two_functions(), 4, abi, 1) ==
			Refused{-EPROTONOSUPPORT, "section is for another architecture", 4});
	REQUIRE(patched(two_functions(2, UW_ARCH_ARM64), 4, 3, 1).err == -EPROTONOSUPPORT);
}

TEST_CASE("a broken header is refused")
{
	REQUIRE(patched(two_functions(), 0, 0xdee3, 2) == Refused{-EBADMSG, "no SFrame magic", 0});
	REQUIRE(patched(two_functions(1), 3, 0x5, 1) == Refused{-EBADMSG, "unknown flag", 3});
	REQUIRE(patched(two_functions(2), 3, 0xd, 1) == Refused{-EBADMSG, "unknown flag", 3});
	REQUIRE(patched(two_functions(3), 3, 0x7, 1) == Refused{-EBADMSG, "unknown flag", 3});
	REQUIRE(patched(two_functions(), 6, 0, 1) == Refused{-EBADMSG, "no fixed return address offset", 6});
}

TEST_CASE("functions and rows must lie in the section, in this order")
{
	Refused functions{-EBADMSG, "functions reach into the rows", 20};
	REQUIRE(patched(two_functions(), 8, 3, 4) == functions);
	REQUIRE(patched(two_functions(), 8, 0xffffffff, 4) == functions);
	REQUIRE(patched(two_functions(), 20, 1, 4) == functions);
	REQUIRE(patched(two_functions(), 20, 0xffffffff, 4) == functions);
	Refused rows{-EBADMSG, "rows reach past the end of the section", 24};
	REQUIRE(patched(two_functions(), 24, 41, 4) == rows);
	REQUIRE(patched(two_functions(), 24, 0xffffffff, 4) == rows);
	REQUIRE(patched(two_functions(), 16, 0xffffffff, 4) == rows);
	REQUIRE(patched(two_functions(), 7, 255, 1) == rows);
	Bytes cut = two_functions().encode();
	cut.pop_back();
	REQUIRE(refusal(cut) == rows);
}

TEST_CASE("a function's rows must lie within the rows")
{
	const char* why = "function's rows are outside the rows";
	REQUIRE(patched(two_functions(), first_fde + 8, 0xffffffff, 4) == Refused{-EBADMSG, why, first_fde});
	REQUIRE(patched(two_functions(), first_fde + 12, 0xffffffff, 4) == Refused{-EBADMSG, why, first_fde});
	REQUIRE(patched(two_functions(3), first_fde + 32, 0xffff, 2) == Refused{-EBADMSG, why, first_fde});
	REQUIRE(patched(two_functions(3), first_fde + 12, 0xffffffff, 4) ==
		Refused{-EBADMSG, "function's attributes are outside the rows", first_fde});
	REQUIRE(raw_rows("0200 00 00 00 | 00 03 08", 2) == Refused{-EBADMSG, why, first_fde});
	// The list begins inside, and its last row ends outside.
	REQUIRE(raw_rows("0100 00 00 00 | 00 05 08", 1) ==
		Refused{-EBADMSG, "row reaches past the end of the rows", v3_rows});
}

TEST_CASE("unknown ways to write functions and rows are refused")
{
	REQUIRE(patched(two_functions(), first_fde + 16, 3, 1) ==
		Refused{-EBADMSG, "unknown width of row starts", first_fde});
	REQUIRE(raw_rows("0100 0f 00 00 | 00 03 08", 1) == Refused{-EBADMSG, "unknown width of row starts", first_fde});
	REQUIRE(raw_rows("0100 00 02 00 | 00 03 08", 1) == Refused{-EBADMSG, "unknown type of function", v3_attr + 3});
	REQUIRE(raw_rows("0100 00 00 00 | 00 63 08000000", 1) ==
		Refused{-EBADMSG, "unknown width of data words", v3_rows});
	REQUIRE(raw_rows("0100 00 00 00 | 00 0f 08 08 08 08 08 08 08", 1) ==
		Refused{-EBADMSG, "more than 6 data words", v3_rows});
}

TEST_CASE("data words must all have a meaning")
{
	const char* why = "more data words than have a meaning";
	REQUIRE(raw_rows("0100 00 00 00 | 00 07 08 f0 f0", 1) == Refused{-EBADMSG, why, v3_rows});
	REQUIRE(raw_rows("0100 00 00 00 | 00 09 20 e8 e0 e0", 1, UW_ARCH_ARM64) == Refused{-EBADMSG, why, v3_rows});
	REQUIRE(raw_rows("0100 00 01 00 | 00 0a 39 08 00 00 00", 1) == Refused{-EBADMSG, why, v3_rows});
	REQUIRE(raw_rows("0100 00 01 00 | 00 0c 39 08 00 33 00 00", 1) == Refused{-EBADMSG, why, v3_rows});
}

TEST_CASE("flexible rows that mean nothing are refused")
{
	REQUIRE(raw_rows("0100 00 01 00 | 00 04 02 08", 1) ==
		Refused{-EBADMSG, "CFA is not relative to a register", v3_rows});
	const char* why = "control word without an offset";
	REQUIRE(raw_rows("0100 00 01 00 | 00 02 39", 1) == Refused{-EBADMSG, why, v3_rows});
	REQUIRE(raw_rows("0100 00 01 00 | 00 06 39 08 02", 1) == Refused{-EBADMSG, why, v3_rows});
	REQUIRE(raw_rows("0100 00 01 00 | 00 08 39 08 00 33", 1) == Refused{-EBADMSG, why, v3_rows});
	REQUIRE(raw_rows("0100 00 01 00 | 00 04 89 08", 1) == Refused{-EBADMSG, "no such register", v3_rows});
	REQUIRE(raw_rows("0100 00 01 00 | 00 44 f9ffffff 08000000", 1) ==
		Refused{-EBADMSG, "no such register", v3_rows});
	// Number 0x107, which is not 7.
	REQUIRE(raw_rows("0100 00 01 00 | 00 24 3908 0800", 1) == Refused{-EBADMSG, "no such register", v3_rows});
}

TEST_CASE("rows must rise and lie within their function")
{
	REQUIRE(raw_rows("0200 00 00 00 | 04 03 08 | 04 03 10", 2) ==
		Refused{-EBADMSG, "row starts do not rise", v3_rows + 3});
	REQUIRE(raw_rows("0200 00 00 00 | 00 03 08 | 20 03 10", 2) ==
		Refused{-EBADMSG, "row starts after its function", v3_rows + 3});
	REQUIRE(raw_rows("0100 10 00 10 | 10 03 08", 1).err == -EBADMSG);
	REQUIRE(raw_rows("0200 10 00 08 | 00 03 08 | 08 03 10", 2) ==
		Refused{-EBADMSG, "row starts after its function", v3_rows + 3});
	REQUIRE(raw_rows("0100 10 00 08 | 01 03 08", 1) ==
		Refused{-EBADMSG, "repeated block does not begin with a row", v3_rows});
}

TEST_CASE("a repeated block of 0 bytes is refused, for it would divide by 0")
{
	REQUIRE(raw_rows("0100 10 00 00 | 00 03 08", 1) == Refused{-EBADMSG, "repeated block of 0 bytes", first_fde});
	Section v1 = two_functions(1, UW_ARCH_ARM64);
	REQUIRE(patched(v1, first_fde + 16, 0x12, 1).why == "repeated block of 0 bytes");
}

TEST_CASE("functions must not overlap")
{
	Section section = two_functions();
	section.functions[1].start--;
	REQUIRE(refusal(section) == Refused{-EBADMSG, "functions overlap", first_fde + 20});
}

TEST_CASE("a function must lie in one segment")
{
	const char* why = "function straddles a segment's end";
	Section section = two_functions();
	section.functions[0].start = text - 1;
	REQUIRE(refusal(section) == Refused{-EBADMSG, why, first_fde});
	section.functions[0].start = text + 0x100000 - 31;
	REQUIRE(refusal(section) == Refused{-EBADMSG, why, first_fde});
	section.functions[0].start = text + 0x100000 - 32;
	REQUIRE(refusal(section).err == 0);
}

TEST_CASE("addresses that wrap around are refused")
{
	const char* function = "function wraps around the address space";
	Bytes bytes = two_functions(3).encode();
	patch(bytes, first_fde, ~0ull - section_address - 60, 8);
	REQUIRE(refusal(bytes) == Refused{-EBADMSG, function, first_fde});
	patch(bytes, first_fde, 0x8000000000000000, 8);
	REQUIRE(refusal(bytes) == Refused{-EBADMSG, function, first_fde});
	patch(bytes, first_fde, static_cast<u64>(-28ll) - section_address - 1, 8);
	REQUIRE(refusal(bytes) == Refused{-EBADMSG, function, first_fde});
	Section top = two_functions(3);
	top.address = ~0ull - 0x1000;
	top.functions = {{~0ull - 31, 32, {sp_row(0, 8)}}};
	Lowered wrapped = lower(top.encode(), top.address, UW_ARCH_X86_64, {{0, 1, 0}});
	REQUIRE(wrapped.why == function);
	Lowered high = lower(two_functions().encode(), ~0ull - 8, UW_ARCH_X86_64, {{0, 1, 0}});
	REQUIRE(high.why == "section wraps around the address space");
}

TEST_CASE("offsets beyond 4 GiB do not fit a table")
{
	Section section = two_functions();
	auto with = [&](u64 offset) {
		Lowered lowered = lower(section.encode(), section.address, section.arch, {{text, 0x100, offset}});
		return Refused{lowered.err, lowered.why, lowered.at};
	};
	REQUIRE(with(0xffffffff - 48).err == 0);
	REQUIRE(with(0xffffffff - 47) == Refused{-E2BIG, "function lies beyond 4 GiB", first_fde + 20});
	REQUIRE(with(0x100000000).err == -E2BIG);
	REQUIRE(with(~0ull).err == -E2BIG);
}

TEST_CASE("more rows than a table may have are refused before anything is allocated")
{
	Section section = two_functions();
	section.functions[0].block_bytes = 1;
	section.functions[0].rows = {sp_row(0, 8)};
	section.functions[0].bytes = UW_MAX_ROWS;
	REQUIRE(refusal(section) == Refused{-E2BIG, "more rows than a table may have", first_fde});
}

TEST_CASE("a draft that is smaller than the section asked for is not overrun")
{
	Bytes bytes = two_functions().encode();
	uw_segment segment{text, 0x1000, 0};
	uw_sframe_input in{bytes.data(), bytes.size(), section_address, &segment, 1, UW_ARCH_X86_64};
	uw_sframe sf;
	uw_draft_row order[2];
	REQUIRE(uw_sframe_open(&sf, &in) == 0);
	Draft draft(2);
	REQUIRE(uw_sframe_lower(&sf, &draft.draft, order) == -E2BIG);
	REQUIRE(std::string(sf.reject.why) == "no room for another row or rule");
}

TEST_CASE("functions outside every segment are passed over")
{
	Section section = two_functions();
	section.functions[0].start = 0x1000;
	Lowered lowered = lower(section);
	REQUIRE(lowered.err == 0);
	REQUIRE(lowered.find(segment_offset) == kind_rule(UW_RULE_NONE));
	REQUIRE(lowered.find(segment_offset + 32) == x86_sframe_rule(UW_X86_SP, 8));
	section.functions.pop_back();
	REQUIRE(refusal(section).err == -ENOENT);
	section.functions.clear();
	REQUIRE(refusal(section).err == -ENOENT);
}

TEST_CASE("a function that begins where a segment ends is outside it")
{
	Section section = two_functions();
	section.functions[0].start = text + 0x100000;
	REQUIRE(refusal(section).err == 0);
	section.functions[0].start = text - 32;
	REQUIRE(refusal(section).err == 0);
}

TEST_CASE("a section asks for enough rows and rules, to the last one")
{
	Section section = two_functions(3);
	section.functions = {{text, 16, {sp_row(0, 8)}}, {text + 16, 16, {}}, {text + 40, 16, {}}};
	section.functions[2].signal = true;
	Lowered lowered = lower(section);
	REQUIRE(lowered.err == 0);
	REQUIRE(lowered.draft->draft.nr_rules == lowered.draft->draft.max_rules);

	// Two blocks and a half.
	Function plt{text, 20, {sp_row(0, 8), sp_row(1, 16), sp_row(2, 24), sp_row(3, 32)}};
	plt.block_bytes = 8;
	section.functions = {plt};
	REQUIRE(lower(section).err == 0);
	REQUIRE(lower(section).draft->draft.nr_rows == 13);
}

TEST_CASE("functions without text are passed over, rows and all")
{
	Section section = two_functions();
	section.functions[0].bytes = 0;
	Lowered lowered = lower(section);
	REQUIRE(lowered.err == 0);
	REQUIRE(lowered.draft->draft.nr_rows == 2);
}

TEST_CASE("functions in several segments come out in the order of their offsets")
{
	Section section = two_functions();
	section.functions[1].start = 0x900000;
	Lowered lowered = lower(section.encode(), section.address, section.arch,
				{{text, 0x100, 0x8000}, {0x900000, 0x100, 0x1000}});
	REQUIRE(lowered.err == 0);
	REQUIRE(lowered.find(0x1000) == x86_sframe_rule(UW_X86_SP, 8));
	REQUIRE(lowered.find(0x8004) == x86_sframe_rule(UW_X86_SP, 16));
}

TEST_CASE("bytes behind the section do not matter: padding, or a second section")
{
	Bytes bytes = two_functions().encode();
	Bytes twice = bytes;
	twice.insert(twice.end(), bytes.begin(), bytes.end());
	REQUIRE(refusal(twice).err == 0);
	bytes.resize(bytes.size() + 100, 0xff);
	REQUIRE(refusal(bytes).err == 0);
}

TEST_CASE("a signal trampoline's row begins one byte early, where return addresses are looked up")
{
	Section section = two_functions(3);
	section.functions[1].start += 16;
	section.functions[1].signal = true; // its rows are not needed
	Lowered lowered = lower(section);
	REQUIRE(lowered.find(segment_offset + 32) == kind_rule(UW_RULE_NONE));
	REQUIRE(lowered.find(segment_offset + 47) == kind_rule(UW_RULE_SIGFRAME));
	REQUIRE(lowered.find(segment_offset + 63) == kind_rule(UW_RULE_SIGFRAME));
	REQUIRE(lowered.find(segment_offset + 64) == kind_rule(UW_RULE_NONE));
}

TEST_CASE("but not if that byte is another function's, or another segment's")
{
	Section section = two_functions(3);
	section.functions[1].signal = true;
	REQUIRE(lower(section).find(segment_offset + 31) == x86_sframe_rule(UW_X86_SP, 16));
	section = two_functions(3);
	section.functions[0].signal = true;
	Lowered lowered = lower(section);
	REQUIRE(lowered.find(segment_offset - 1) == kind_rule(UW_RULE_NONE));
	REQUIRE(lowered.find(segment_offset) == kind_rule(UW_RULE_SIGFRAME));
}

TEST_CASE("a signal trampoline's rows are still validated")
{
	REQUIRE(raw_rows("0100 80 00 00 | 00 63 08000000", 1).why == "unknown width of data words");
	REQUIRE(raw_rows("0000 80 00 00", 0).err == 0);
}

TEST_CASE("a header may fix where FP is saved, and arm64's return address")
{
	Section section = two_functions();
	section.fixed_fp = -16;
	REQUIRE(lower(section).find(segment_offset) == x86_sframe_rule(UW_X86_SP, 8, -16));
	section = two_functions(2, UW_ARCH_ARM64);
	section.fixed_ra = -8;
	section.functions[0].rows[0].words = {32, -16};
	REQUIRE(lower(section).find(segment_offset) == arm64_rule(UW_ARM64_SP, 32, -8, -16));
}

TEST_CASE("V1 repeats the rows of an x86-64 PLT every 16 bytes")
{
	Section section = two_functions(1);
	section.functions[0] = {text, 32, {sp_row(0, 8), sp_row(11, 16)}};
	section.functions[0].block_bytes = 16;
	Lowered lowered = lower(section);
	for (u64 entry : {0, 16}) {
		REQUIRE(lowered.find(segment_offset + entry + 10) == x86_sframe_rule(UW_X86_SP, 8));
		REQUIRE(lowered.find(segment_offset + entry + 11) == x86_sframe_rule(UW_X86_SP, 16));
	}
}

TEST_CASE("a thousand functions in any order come out sorted")
{
	Section section = two_functions();
	section.functions.clear();
	for (u32 i = 0; i < 1000; i++) {
		u32 number = i * 617 % 1000; // 617 and 1000 have no common factor
		section.functions.push_back({text + 16 * number, 16, {sp_row(0, 8 * static_cast<s32>(number))}});
	}
	Lowered lowered = lower(section);
	REQUIRE(lowered.err == 0);
	for (u32 i = 0; i < 1000; i++)
		REQUIRE(lowered.find(segment_offset + 16 * i + 5) ==
			x86_sframe_rule(UW_X86_SP, 8 * static_cast<s32>(i)));
}
