// SPDX-License-Identifier: GPL-2.0
// Rows that are read from 32-bit Arm code: small functions, and what compilers make of a
// list of functions, whose own CFI says what is right.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include "base/handle.h"
#include "elf/segments.h"
#include "tables/code/arm/code.h"
#include "tables/ehabi/rows.h"
#include "tables/isa/arm/instruction.h"
#include "tables/known/indexed_calls.h"
#include "tables/rule_text.h"
#include "unit/source_folder.h"
#include "unit/tables/code/agreement.h"
#include "unit/tables/readelf_frames.h"

using uwind::Arch;
using uwind::ArmCodeHints;
using uwind::CodeFunction;
using uwind::Rule;
using uwind::Stretch;
using uwind::readelf::OracleRow;

namespace {

constexpr std::uint32_t start = 0x1000;

// "0 rule; 4 rule; 6 end": of code that lies at 0x1000.
std::string read(const std::vector<std::uint8_t>& code, const ArmCodeHints& hints)
{
	std::vector<Stretch> stretches;
	uwind::read_code_arm(code, start, 0, hints, stretches);
	std::string text;
	std::uint32_t end = 0;
	for (const Stretch& stretch : stretches) {
		if (stretch.start > end)
			text += std::to_string(end) + " none; ";
		text += std::to_string(stretch.start) + " " + uwind::rule_text(stretch.rule, Arch::arm) + "; ";
		end = stretch.end;
	}
	return text + std::to_string(end) + " end";
}

std::string thumb(const std::vector<std::uint16_t>& halves, std::vector<std::uint32_t> no_return = {})
{
	std::vector<std::uint8_t> code;
	for (const std::uint16_t half : halves) {
		code.push_back(static_cast<std::uint8_t>(half));
		code.push_back(static_cast<std::uint8_t>(half >> 8));
	}
	return read(code, {{{start | 1, 0}}, std::move(no_return)});
}

std::string a32(const std::vector<std::uint32_t>& words, std::vector<std::uint32_t> no_return = {})
{
	std::vector<std::uint8_t> code;
	for (const std::uint32_t word : words)
		for (int shift = 0; shift < 32; shift += 8)
			code.push_back(static_cast<std::uint8_t>(word >> shift));
	return read(code, {{{start, 0}}, std::move(no_return)});
}

const std::string leaf = "cfa=sp ra=lr r11=same";
const std::string pair = "cfa=sp+8 ra=[cfa-4] r11=same";

// Instructions of T32.
constexpr std::uint16_t push_r4_lr = 0xb510, pop_r4_pc = 0xbd10, bx_lr = 0x4770, nop = 0xbf00, add = 0x1840;
constexpr std::uint16_t call_register = 0x4798; // blx r3

} // namespace

TEST_CASE("text that was blanked proves nothing, and so does what leads there alone")
{
	CHECK(a32(std::vector<std::uint32_t>(16)) == "0 end");
	CHECK(a32({0, 0, 0xe12fff1e}).starts_with("0 none")); // andeq r0, r0, r0 twice, bx lr
	CHECK(a32({0xe0811002, 0}) == "0 end");               // add r1, r1, r2
	CHECK(thumb(std::vector<std::uint16_t>(16)) == "0 end");
	CHECK(thumb({add, 0, 0}) == "0 end");
	CHECK(thumb({add, 0xe7fd}) == "0 " + leaf + "; 4 end"); // b to the first one: never ends
	CHECK(thumb({add, 0xde00}) == "0 " + leaf + "; 4 end"); // udf
}

TEST_CASE("T32: a leaf's return address is in LR, a frame's on the stack")
{
	CHECK(thumb({add, bx_lr}) == "0 " + leaf + "; 4 end");
	CHECK(thumb({push_r4_lr, call_register, pop_r4_pc}) == "0 " + leaf + "; 2 " + pair + "; 6 end");
	// ldr.w pc, [sp], #4 returns as well: str.w lr, [sp, #-4]!
	CHECK(thumb({0xf84d, 0xed04, call_register, 0xf85d, 0xfb04}) ==
	      "0 " + leaf + "; 4 cfa=sp+4 ra=[cfa-4] r11=same; 10 end");
}

TEST_CASE("T32: every register that is pushed, and VFP's, moves SP")
{
	// stmdb sp!, {r4-r11, lr}; vpush {d8}; sub sp, #12; add sp, #12; vpop {d8}; ldmia sp!, {r4-r11, pc}
	const std::string saved = " ra=[cfa-4] r11=[cfa-8] r7=[cfa-24]";
	CHECK(thumb({0xe92d, 0x4ff0, 0xed2d, 0x8b02, 0xb083, 0xb003, 0xecbd, 0x8b02, 0xe8bd, 0x8ff0}) ==
	      "0 " + leaf + "; 4 cfa=sp+36" + saved + "; 8 cfa=sp+44" + saved + "; 10 cfa=sp+56" + saved +
		      "; 12 cfa=sp+44" + saved + "; 16 cfa=sp+36" + saved + "; 20 end");
}

TEST_CASE("T32: where SP is moved by a register, r7 is the base")
{
	// push {r7, lr}; add r7, sp, #0; sub.w sp, sp, r0; mov sp, r7; pop {r7, pc}
	const std::string saved = " ra=[cfa-4] r11=same r7=[cfa-8]";
	CHECK(thumb({0xb580, 0xaf00, 0xebad, 0x0d00, 0x46bd, 0xbd80}) ==
	      "0 " + leaf + "; 2 cfa=sp+8" + saved + "; 8 cfa=r7+8" + saved + "; 10 cfa=sp+8" + saved + "; 12 end");
}

TEST_CASE("T32: a conditional return falls through with the frame unchanged")
{
	// push; cmp; itt eq; moveq; popeq; blx; pop
	CHECK(thumb({push_r4_lr, 0x2800, 0xbf04, 0x2001, 0xbd10, call_register, pop_r4_pc}) ==
	      "0 " + leaf + "; 2 " + pair + "; 14 end");
	// push {r4, lr}; sub sp, #8; itt eq; addeq sp, #8; popeq; add sp, #8; pop: between the two it depends
	CHECK(thumb({push_r4_lr, 0xb082, 0xbf04, 0xb002, pop_r4_pc, 0xb002, pop_r4_pc}) ==
	      "0 " + leaf + "; 2 " + pair +
		      "; 4 cfa=sp+16 ra=[cfa-4] r11=same; 8 unknown; 10 cfa=sp+16 ra=[cfa-4] "
		      "r11=same; 12 " +
		      pair + "; 14 end");
}

TEST_CASE("A32: between a conditional pop and the jump of the same condition no frame pointer is followed")
{
	// str r8, [sp, #-4]!; subs; ldrcc r8, [sp], #4; bcc 1f; ldr r8, [sp], #4; 1: bx lr
	CHECK(a32({0xe52d8004, 0xe2522040, 0x349d8004, 0x3a000000, 0xe49d8004, 0xe12fff1e}) ==
	      "0 " + leaf + "; 4 cfa=sp+4 ra=lr r11=same; 12 unknown; 16 cfa=sp+4 ra=lr r11=same; 20 " + leaf +
		      "; 24 end");
}

TEST_CASE("T32: the table of a tbb is data, and its targets have the frame of the jump")
{
	// push; cmp r0, #1; bhi +8; tbb [pc, r0]; .byte 1, 2; movs; pop; pop
	CHECK(thumb({push_r4_lr, 0x2801, 0xd803, 0xe8df, 0xf000, 0x0201, 0x2001, pop_r4_pc, nop}) ==
	      "0 " + leaf + "; 2 " + pair + "; 10 none; 12 " + pair + "; 16 end");
}

TEST_CASE("T32: a jump through LR that was computed is no return")
{
	// push; cmp r0, #1; bhi 1f; addw lr, pc, #8; ldr.w r0, [lr, r0, lsl #2]; add lr, r0; bx lr; .word 9, 11; pop;
	// pop
	CHECK(thumb({push_r4_lr, 0x2801, 0xd80a, 0xf20f, 0x0e0a, 0xf85e, 0x0020, 0x4486, bx_lr, nop, 0x0009, 0, 0x000b,
		     0, pop_r4_pc, pop_r4_pc})
		      .starts_with("0 " + leaf + "; 2 " + pair + "; 18"));
}

TEST_CASE("T32: what follows a call that does not return is no part of its function")
{
	// push; bl 0x1100; another function: push {r4, r5, r6, lr}; pop
	const std::vector<std::uint16_t> code{push_r4_lr, 0xf000, 0xf87d, 0xb570, 0xbd70};
	const std::string expected =
		"0 " + leaf + "; 2 " + pair + "; 6 " + leaf + "; 8 cfa=sp+16 ra=[cfa-4] r11=same; 10 end";
	CHECK(thumb(code) == expected);           // it would push LR twice
	CHECK(thumb(code, {0x1100}) == expected); // it is known
}

TEST_CASE("T32: where an exception lands there is the frame of the calls")
{
	// push {r7, lr}; blx r3; pop {r7, pc}; 1: movs r0, #1; bl 0x1100, which does not return
	const std::string framed = "cfa=sp+8 ra=[cfa-4] r11=same r7=[cfa-8]";
	CHECK(thumb({0xb580, call_register, 0xbd80, 0x2001, 0xf000, 0xf87a}, {0x1100}) ==
	      "0 " + leaf + "; 2 " + framed + "; 12 end");
	// The same that goes back into the function: 1: movs r0, #1; b 0x1004
	CHECK(thumb({0xb580, call_register, 0xbd80, 0x2001, 0xe7fc}) == "0 " + leaf + "; 2 " + framed + "; 10 end");
	// Two frames that make sense: push {r7, lr}; blx r3; sub sp, #8; blx r3; add sp, #8; pop; movs; bl
	CHECK(thumb({0xb580, call_register, 0xb082, call_register, 0xb002, 0xbd80, 0x2001, 0xf000, 0xf877}, {0x1100}) ==
	      "0 " + leaf + "; 2 " + framed + "; 6 cfa=sp+16 ra=[cfa-4] r11=same r7=[cfa-8]; 10 " + framed +
		      "; 12 end");
}

TEST_CASE("T32: where an exception lands there is the frame of the code around it, also if others only jump there")
{
	// f: b h; g: push {r4, lr}; blx r3; pop {r4, pc}; h: push {r4-r7, lr}; bl g; pop {r4-r7, pc}; movs r0, #1; bl
	// 0x1100
	CHECK(thumb({0xe002, push_r4_lr, call_register, pop_r4_pc, 0xb5f0, 0xf7ff, 0xfffa, 0xbdf0, 0x2001, 0xf000,
		     0xf875},
		    {0x1100}) ==
	      "0 " + leaf + "; 4 " + pair + "; 8 " + leaf + "; 10 cfa=sp+20 ra=[cfa-4] r11=same r7=[cfa-8]; 22 end");
}

TEST_CASE("an Arm call that finds no way back ends a stack, and guesses nothing")
{
	// push {r1-r4}; blx r3; pop {r1-r4}; bl 0x1100: LR is lost with the first call
	CHECK(thumb({0xb41e, call_register, 0xbc1e, 0xf000, 0xf87b}, {0x1100}) ==
	      "0 " + leaf + "; 2 cfa=sp+16 ra=lr r11=same; 4 none; 7 cfa=sp+4 ra=lr r11=same; 10 end");
	// The same in A32.
	CHECK(a32({0xe92d001e, 0xe12fff33, 0xe8bd001e, 0xeb00003b}, {0x1100}) ==
	      "0 " + leaf + "; 4 cfa=sp+16 ra=lr r11=same; 8 none; 13 cfa=sp+4 ra=lr r11=same; 16 end");
}

TEST_CASE("Arm code that would return to something else has no rows")
{
	CHECK(thumb({push_r4_lr, bx_lr}) == "0 end");             // what was pushed stays
	CHECK(thumb({0xb410, bx_lr}) == "0 end");                 // push {r4}; bx lr
	CHECK(thumb({push_r4_lr, 0xb001, pop_r4_pc}) == "0 end"); // a word too much is popped
}

TEST_CASE("the middle of an Arm function that contradicts itself is no beginning")
{
	// cmp; bls 1f; push {r7}; nop; 1: nop; pop {r7}; bx lr
	CHECK(thumb({0x2800, 0xd901, 0xb480, nop, nop, 0xbc80, bx_lr}) == "0 none; 12 " + leaf + "; 14 end");
}

TEST_CASE("A32: frames with r11, conditional returns, and a table of branches")
{
	// push {r11, lr}; add r11, sp, #4; sub sp, sp, #8; sub sp, r11, #4; pop {r11, pc}
	const std::string saved = " ra=[cfa-4] r11=[cfa-8]";
	CHECK(a32({0xe92d4800, 0xe28db004, 0xe24dd008, 0xe24bd004, 0xe8bd8800}) ==
	      "0 " + leaf + "; 4 cfa=sp+8" + saved + "; 12 cfa=sp+16" + saved + "; 16 cfa=sp+8" + saved + "; 20 end");
	// push {r4, lr}; cmp; popeq {r4, pc}; blx r3; pop {r4, pc}
	CHECK(a32({0xe92d4010, 0xe3500000, 0x08bd8010, 0xe12fff33, 0xe8bd8010}) ==
	      "0 " + leaf + "; 4 " + pair + "; 20 end");
	// push {r4, lr}; cmp r0, #1; addls pc, pc, r0, lsl #2; b 1f; b 1f; b 1f; 1: pop {r4, pc}
	CHECK(a32({0xe92d4010, 0xe3500001, 0x908ff100, 0xea000001, 0xea000000, 0xeaffffff, 0xe8bd8010}) ==
	      "0 " + leaf + "; 4 " + pair + "; 28 end");
}

TEST_CASE("A32: a jump into a run of instructions, by a distance that was computed, finds the frame of the jump")
{
	// push {r8}; rsb r3, r3, #4; add pc, pc, r3; ldr d0, [r1]; str d0, [ip]; pop {r8}; bx lr
	CHECK(a32({0xe52d8004, 0xe2633004, 0xe08ff003, 0xed110b0e, 0xed0c0b0e, 0xe49d8004, 0xe12fff1e}) ==
	      "0 " + leaf + "; 4 cfa=sp+4 ra=lr r11=same; 24 " + leaf + "; 28 end");
	// push {r4, lr}; rsbs ip, r2, #32; addne pc, pc, ip; b 1f; ldr r3, [r1]; str r3, [r0]; 1: pop {r4, pc}
	CHECK(a32({0xe92d4010, 0xe272c020, 0x108ff00c, 0xea000001, 0xe5913000, 0xe5803000, 0xe8bd8010}) ==
	      "0 " + leaf + "; 4 " + pair + "; 28 end");
	// push {r8}; ldr r3, [r3]; add pc, pc, r3; then data
	CHECK(a32({0xe52d8004, 0xe5933000, 0xe08ff003, 0xffffffff, 0xffffffff}) ==
	      "0 " + leaf + "; 4 cfa=sp+4 ra=lr r11=same; 12 end");
}

TEST_CASE("Arm code that is followed in vain again and again is given up")
{
	// Each of many thousand places could be a function's first: adds …; push {r4}; bx lr.
	std::vector<std::uint8_t> code;
	for (int i = 0; i < 400'000; i++)
		code.push_back(i % 2 ? add >> 8 : add & 255);
	for (const int byte : {0x10, 0xb4, 0x70, 0x47})
		code.push_back(static_cast<std::uint8_t>(byte));
	CHECK(read(code, {}) == "0 end");
	CHECK(read(std::vector<std::uint8_t>(uwind::max_read_arm_bytes + 1), {}) == "0 end");
}

TEST_CASE("no bytes make the reader of Arm code read behind them, or not end")
{
	std::uint32_t random = 7;
	for (int i = 0; i < 300; i++) {
		std::vector<std::uint8_t> code(2 + i * 7);
		for (std::uint8_t& byte : code)
			byte = static_cast<std::uint8_t>((random = random * 1664525 + 1013904223) >> 24);
		ArmCodeHints hints;
		for (std::uint32_t at = 0; at < code.size(); at += 12)
			hints.functions.push_back({start + at + (at % 24 ? 1u : 0u), 0});
		std::vector<Stretch> stretches;
		uwind::read_code_arm(code, start, 0, hints, stretches);
		for (const Stretch& stretch : stretches)
			REQUIRE(stretch.end <= code.size() + 2);
	}
}

namespace {

// The oracle's column says what our rule does, or that the register was not saved yet.
bool same_register(const std::string& oracle, bool stored, bool lost, std::int32_t offset)
{
	if (oracle.starts_with("c"))
		return stored ? oracle == "c" + std::to_string(offset) : true; // loaded again already
	return !stored || lost;
}

bool same_row(const OracleRow& oracle, const Rule& rule)
{
	const std::string base = uwind::register_name(Arch::arm, rule.cfa_reg);
	const std::string name = rule.cfa_reg == UW_ARM_SP ? "r13" : rule.cfa_reg == UW_ARM_FP ? "r11" : base;
	const bool cfa = !oracle.cfa.starts_with(name) || oracle.cfa == name + "+" + std::to_string(rule.cfa_off);
	const bool base_stored = rule.base_slot && rule.base_slot != UW_BASE_LOST;
	return cfa && same_register(oracle.ra, rule.ra_place == UW_PLACE_CFA_MEM, false, rule.ra_off) &&
	       same_register(oracle.fp, rule.fp_place == UW_PLACE_CFA_MEM, false, rule.fp_off) &&
	       same_register(oracle.base, base_stored, false, -4 * rule.base_slot);
}

struct Compared {
	std::uint64_t equal = 0, different = 0, unread = 0;
	std::string first;
};

// A call's return address, where CFI of all compilers must be right.
bool is_behind_call(const uwind::ElfFile& file, std::uint64_t at, bool thumb)
{
	const auto address = static_cast<std::uint32_t>(at) - 4;
	return uwind::decode_arm(file.read(address, 4), address, thumb).flow == uwind::ArmFlow::call;
}

// Every halfword that the CFI of the unstripped file speaks of, or those behind calls.
Compared compare(const std::string& path, const std::string& stripped, bool thumb, bool only_calls)
{
	const uwind::UniqueFd fd(open(stripped.c_str(), O_RDONLY));
	const auto file = uwind::ElfFile::open(fd.get());
	REQUIRE(file);
	const uwind::TableRows code = uwind::rows_of(uwind::code_stretches(*file, uwind::TableRows{}));
	Compared result;
	for (const auto& function : uwind::readelf::ask_readelf("readelf", path, Arch::arm))
		for (const OracleRow& row : function.rows)
			for (std::uint64_t at = row.start; at < row.end; at += thumb ? 2 : 4) {
				if (only_calls && !is_behind_call(*file, at, thumb))
					continue;
				const auto offset = uwind::offsets_of(file->segments(), at, 2);
				REQUIRE(offset);
				const Rule& rule = uwind::code_agreement::rule_at(code, offset->start);
				if (rule.kind != UW_RULE_FRAME)
					result.unread++; // or a literal
				else if (same_row(row, rule))
					result.equal++;
				else if (!result.different++)
					result.first = std::to_string(at) + " CFI " + row.cfa + " " + row.ra +
						       " code " + uwind::rule_text(rule, Arch::arm);
			}
	return result;
}

} // namespace

// clang does not describe epilogues.
TEST_CASE("Arm code that is read agrees with what compilers say of it")
{
	const std::string folder = "/tmp/uwind-arm-" + std::to_string(getpid());
	const std::string source = in_sources("tests/unit/arm_frames.c");
	REQUIRE(std::system(("mkdir -p " + folder).c_str()) == 0);
	for (const char* compiler : {"clang-14 --target=arm-linux-gnueabihf", "arm-linux-gnueabihf-gcc"})
		for (const char* mode : {"-mthumb", "-marm"})
			for (const char* flags : {"-O0", "-O1", "-O2", "-Os", "-O3", "-O2 -fno-omit-frame-pointer",
						  "-O2 -fstack-protector-all"}) {
				const std::string library = folder + "/all.so", stripped = folder + "/stripped.so";
				const std::string command = std::string(compiler) + " " + mode + " " + flags +
							    " -g -fPIC -shared -nostdlib -o " + library + " " + source +
							    " && arm-linux-gnueabihf-strip -o " + stripped + " " +
							    library;
				INFO(command);
				REQUIRE(std::system(command.c_str()) == 0);
				const bool clang = compiler[0] == 'c';
				const Compared compared = compare(library, stripped, mode[2] == 't', clang);
				CAPTURE(compared.equal, compared.different, compared.unread, compared.first);
				CHECK(compared.different == 0);
				CHECK(compared.equal > (clang ? 20 : 250));
				// Literals, and what follows calls that do not return.
				CHECK(compared.unread * 3 < compared.equal);
			}
	CHECK(std::system(("rm -r " + folder).c_str()) == 0);
}

// At calls, of which the exception index speaks.
TEST_CASE("Arm code that is read agrees with the exception index of stock libraries")
{
	for (const char* name : {"libc.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-armhf.so.3"}) {
		const std::string path = std::string("/usr/arm-linux-gnueabihf/lib/") + name;
		const uwind::UniqueFd fd(open(path.c_str(), O_RDONLY));
		if (!fd) {
			WARN(path << " is absent: not compared");
			continue;
		}
		const auto file = uwind::ElfFile::open(fd.get());
		REQUIRE(file);
		const auto index = uwind::lower_exidx(*file);
		REQUIRE(index);
		const uwind::TableRows code = uwind::rows_of(uwind::code_stretches(*file, uwind::TableRows{}));
		uwind::code_agreement::Agreement agreement;
		for (const Stretch& call : uwind::calls_in(*file, index->stretches))
			uwind::code_agreement::add(agreement, Arch::arm, call.start, call.rule,
						   uwind::code_agreement::rule_at(code, call.start));
		CAPTURE(name, agreement.equal, agreement.different, agreement.unread, agreement.first);
		uwind::code_agreement::print_figure("arm", name, "calls", agreement);
		CHECK(agreement.different == 0);
		CHECK(agreement.equal > 50);
	}
}
