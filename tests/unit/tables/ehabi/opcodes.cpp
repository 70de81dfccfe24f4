// SPDX-License-Identifier: GPL-2.0
// Every unwind opcode of 32-bit Arm (EHABI32, 10.3), and what is refused.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tables/ehabi/opcodes.h"
#include "tables/rule_text.h"

extern "C" {
#include "types.h"
}

namespace {

using Opcodes = std::vector<std::uint8_t>;

// The rule, or why there is none; a reason behind a rule is that of a lost frame pointer.
std::string said(const Opcodes& opcodes)
{
	const uwind::LoweredRule lowered = uwind::lower_ehabi(opcodes);
	const std::string reason = uwind::cfi_reason_text[static_cast<std::size_t>(lowered.reason)];
	if (lowered.rule.kind != UW_RULE_NONE)
		return uwind::rule_text(lowered.rule, uwind::Arch::arm) + reason;
	return reason;
}

// The CFA of opcodes that leave all else alone.
std::string cfa(const Opcodes& opcodes)
{
	const std::string text = said(opcodes), end = " ra=lr r11=same";
	return text.ends_with(end) ? text.substr(0, text.size() - end.size()) : text;
}

const std::string spare = "unknown instruction", cut_short = "instructions end in the middle of one";
const std::string below_sp = "registers saved below the stack pointer";

} // namespace

TEST_CASE("opcodes that do nothing leave the caller's frame as it is")
{
	const std::string untouched = "cfa=sp ra=lr r11=same";
	CHECK(said({}) == untouched);
	CHECK(said({0xb0}) == untouched);
	CHECK(said({0xb0, 0xb0, 0xb0}) == untouched);
}

TEST_CASE("what lies behind the opcode that finishes is not carried out")
{
	CHECK(cfa({0x00, 0xb0, 0x01, 0xff}) == "cfa=sp+4");
}

TEST_CASE("short opcodes move the virtual stack pointer by 4 to 256 bytes")
{
	CHECK(cfa({0x00}) == "cfa=sp+4");
	CHECK(cfa({0x3f}) == "cfa=sp+256");
	CHECK(cfa({0x3f, 0x3f, 0x00}) == "cfa=sp+516");
	CHECK(cfa({0x3f, 0x40}) == "cfa=sp+252");
	CHECK(cfa({0x3f, 0x7f}) == "cfa=sp");
}

TEST_CASE("the long opcode moves the virtual stack pointer by 0x204 and four times its operand")
{
	CHECK(cfa({0xb2, 0x00}) == "cfa=sp+516");
	CHECK(cfa({0xb2, 0x01}) == "cfa=sp+520");
	CHECK(cfa({0xb2, 0x80, 0x01}) == "cfa=sp+1028");
	CHECK(cfa({0xb2, 0xff, 0xfe, 0xff, 0xff, 0x00}) == "cfa=sp+1073741824");
}

TEST_CASE("a virtual stack pointer 2 GiB away or farther has no rule")
{
	const std::string far = "offset of 2 GiB or more";
	CHECK(cfa({0xb2, 0xff, 0xff, 0xff, 0xff, 0x01}) == far);
	CHECK(cfa({0xb2, 0x80, 0x80, 0x80, 0x80, 0x04}) == far);
	CHECK(cfa({0xb2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}) == far);
}

TEST_CASE("a mask of twelve bits pops r4 to r15, the lowest from the lowest address")
{
	CHECK(said({0x80, 0x01}) == "cfa=sp+4 ra=lr r11=same");
	CHECK(said({0x84, 0x08}) == "cfa=sp+8 ra=[cfa-4] r11=same r7=[cfa-8]");
	CHECK(said({0x84, 0x80}) == "cfa=sp+8 ra=[cfa-4] r11=[cfa-8]");
	CHECK(said({0x8d, 0xff}) == "cfa=sp+44 ra=[cfa-4] r11=[cfa-16] r7=[cfa-32]");
	CHECK(said({0x81, 0x80}) == "cfa=sp+8 ra=lr r11=[cfa-8]");
}

TEST_CASE("a range of registers is popped from r4 on, with or without LR")
{
	CHECK(said({0xa0}) == "cfa=sp+4 ra=lr r11=same");
	CHECK(said({0xa3}) == "cfa=sp+16 ra=lr r11=same r7=[cfa-4]");
	CHECK(said({0xa7}) == "cfa=sp+32 ra=lr r11=[cfa-4] r7=[cfa-20]");
	CHECK(said({0xa8}) == "cfa=sp+8 ra=[cfa-4] r11=same");
	CHECK(said({0xab}) == "cfa=sp+20 ra=[cfa-4] r11=same r7=[cfa-8]");
	CHECK(said({0xaf}) == "cfa=sp+36 ra=[cfa-4] r11=[cfa-8] r7=[cfa-24]");
}

TEST_CASE("arguments on the stack are popped by a mask of four bits")
{
	CHECK(cfa({0xb1, 0x01}) == "cfa=sp+4");
	CHECK(cfa({0xb1, 0x0a}) == "cfa=sp+8");
	CHECK(cfa({0xb1, 0x0f}) == "cfa=sp+16");
	CHECK(said({0xb1, 0x08, 0x84, 0x00}) == "cfa=sp+8 ra=[cfa-4] r11=same");
}

TEST_CASE("popped floating-point and WMMX registers move the virtual stack pointer")
{
	CHECK(cfa({0xb3, 0x80}) == "cfa=sp+12");  // FSTMFDX: one word more
	CHECK(cfa({0xb3, 0x0f}) == "cfa=sp+132"); // D0-D15
	CHECK(cfa({0xb8}) == "cfa=sp+12");
	CHECK(cfa({0xbf}) == "cfa=sp+68"); // D8-D15
	CHECK(cfa({0xc8, 0x0f}) == "cfa=sp+128");
	CHECK(cfa({0xc9, 0x83}) == "cfa=sp+32");
	CHECK(cfa({0xc9, 0xff}) == "cfa=sp+128"); // D15-D30
	CHECK(cfa({0xd0}) == "cfa=sp+8");
	CHECK(cfa({0xd7}) == "cfa=sp+64");
	CHECK(cfa({0xc0}) == "cfa=sp+8");
	CHECK(cfa({0xc5}) == "cfa=sp+48");
	CHECK(cfa({0xc6, 0x1f - 1}) == "cfa=sp+120");
	CHECK(cfa({0xc7, 0x05}) == "cfa=sp+8");
}

TEST_CASE("a return address with a signature apart has a word more on the stack")
{
	CHECK(cfa({0xb4}) == "cfa=sp+4");
	CHECK(said({0xb4, 0x84, 0x08, 0xb5}) == "cfa=sp+12 ra=[cfa-4] r11=same r7=[cfa-8]");
}

TEST_CASE("the virtual stack pointer can begin at another register")
{
	CHECK(said({0x97}) == "cfa=r7 ra=lr r11=same");
	CHECK(said({0x97, 0x01, 0x84, 0x09}) == "cfa=r7+20 ra=[cfa-4] r11=same r7=[cfa-8]");
	CHECK(said({0x9b, 0x40, 0x84, 0x80}) == "cfa=r11+4 ra=[cfa-4] r11=[cfa-8]");
	CHECK(said({0x9e, 0x00}) == "cfa=lr+4 ra=lr r11=same");
	CHECK(said({0x9c, 0x7f, 0x84, 0x00}) == "cfa=r12-252 ra=[cfa-4] r11=same");
}

TEST_CASE("what was popped before the virtual stack pointer changed keeps its place")
{
	CHECK(said({0x84, 0x80, 0x97, 0x00}) == "cfa=r7+4 ra=[sp+4] r11=[sp]");
	// The rule has no words for r7 there.
	CHECK(said({0xa3, 0x9b, 0x00}) == "cfa=r11+4 ra=lr r11=same r7=lost");
}

TEST_CASE("a popped register can become the virtual stack pointer")
{
	CHECK(said({0x80, 0x08, 0x97}) == "cfa=[sp] ra=lr r11=same r7=lost");
	CHECK(said({0x00, 0x80, 0x18, 0x97, 0x84, 0x80}) == "cfa=[sp+4]+8 ra=[cfa-4] r11=[cfa-8] r7=lost");
}

TEST_CASE("a popped SP becomes the virtual stack pointer behind its instruction")
{
	CHECK(said({0x86, 0x00}) == "cfa=[sp] ra=[sp+4] r11=same");
	CHECK(said({0x8e, 0x80}) == "cfa=[sp+4] ra=[sp+12] r11=[sp]");
	CHECK(said({0x82, 0x00, 0x01, 0xa8}) == "cfa=[sp]+16 ra=[cfa-4] r11=same");
}

TEST_CASE("a popped PC is the return address, whatever LR was")
{
	CHECK(said({0x88, 0x00}) == "cfa=sp+4 ra=[cfa-4] r11=same");
	CHECK(said({0x8c, 0x00}) == "cfa=sp+8 ra=[cfa-4] r11=same");
	CHECK(said({0x88, 0x00, 0x84, 0x00}) == "cfa=sp+8 ra=[cfa-8] r11=same");
}

TEST_CASE("of a register that is popped twice the last one counts")
{
	CHECK(said({0xa8, 0xa8}) == "cfa=sp+16 ra=[cfa-4] r11=same");
	CHECK(said({0xa3, 0xa3}) == "cfa=sp+32 ra=lr r11=same r7=[cfa-4]");
}

TEST_CASE("r7 is found up to 254 words below the CFA")
{
	CHECK(said({0xa3, 0x3f, 0x3f, 0x3f, 0x3c}).ends_with("r7=[cfa-1016]"));
	CHECK(said({0xa3, 0x3f, 0x3f, 0x3f, 0x3d}).ends_with("r7=lost"));
}

TEST_CASE("a chain of words in memory has no rule")
{
	const std::string no_cfa = "CFA by an expression of an unknown form";
	CHECK(said({0x82, 0x00, 0x82, 0x00}) == no_cfa);
	CHECK(said({0x82, 0x00, 0x80, 0x08, 0x97}) == no_cfa);
	// The return address lies where a word of memory says, the CFA elsewhere.
	CHECK(said({0x82, 0x00, 0x84, 0x00, 0x9b}) == "return address by an expression of an unknown form");
	// The row holds without the frame pointer.
	CHECK(said({0x82, 0x00, 0x80, 0x80, 0x97}) == "cfa=r7 ra=lr r11=lost");
	CHECK(uwind::lower_ehabi(Opcodes{0x82, 0x00, 0x80, 0x80, 0x97}).fp_lost);
}

TEST_CASE("what lies below SP is not believed")
{
	CHECK(said({0x40}) == below_sp);
	CHECK(said({0x40, 0xa8}) == below_sp);
	CHECK(said({0x40, 0xa8, 0x3f}) == below_sp);
	CHECK(said({0x40, 0x00, 0xa8}) == "cfa=sp+8 ra=[cfa-4] r11=same");
	// Another register may lie anywhere.
	CHECK(said({0x97, 0x40, 0xa8}) == "cfa=r7+4 ra=[cfa-4] r11=same");
}

TEST_CASE("opcodes can refuse to unwind")
{
	CHECK(said({0x80, 0x00}) == "opcodes that refuse to unwind");
	CHECK(said({0xa8, 0x80, 0x00}) == "opcodes that refuse to unwind");
}

TEST_CASE("reserved and spare opcodes have no rule")
{
	for (const std::uint8_t op : {0x9d, 0x9f, 0xb6, 0xb7})
		CHECK(said({op}) == spare);
	for (unsigned op = 0xca; op < 0x100; op++) {
		INFO(op);
		if (op < 0xd0 || op > 0xd7)
			CHECK(said({static_cast<std::uint8_t>(op)}) == spare);
	}
	for (const std::uint8_t op : {0xb1, 0xc7}) {
		CHECK(said({op, 0x00}) == spare);
		CHECK(said({op, 0x10}) == spare);
		CHECK(said({op, 0xff}) == spare);
	}
}

TEST_CASE("ranges that end behind the last register are reserved")
{
	CHECK(said({0xb3, 0x1f}) == spare); // D1-D16, by FSTMFDX
	CHECK(said({0xc6, 0xf1}) == spare); // wR15-wR16
	CHECK(said({0xc8, 0xf1}) == spare); // D31-D32
}

TEST_CASE("opcodes without their operand have no rule")
{
	for (const std::uint8_t op : {0x80, 0x84, 0xb1, 0xb2, 0xb3, 0xc6, 0xc7, 0xc8, 0xc9})
		CHECK(said({op}) == cut_short);
	CHECK(said({0xb2, 0x80}) == cut_short);
	CHECK(said({0xb2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}) == cut_short);
}
