// SPDX-License-Identifier: GPL-2.0
// 32-bit programs: words of four bytes, and what Thumb adds to an address.
#include <catch2/catch.hpp>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x8048000;
constexpr u64 stack = 0xffbf0000;

uw_rule i386_rule(u8 reg, s32 off)
{
	uw_rule rule = kind_rule(UW_RULE_FRAME);
	rule.cfa_reg = reg;
	rule.cfa_off = off;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = -4;
	return rule;
}

uw_rule arm_rule(s32 off, s32 ra_off)
{
	uw_rule rule = kind_rule(UW_RULE_FRAME);
	rule.cfa_reg = UW_ARM_SP;
	rule.cfa_off = off;
	rule.ra_place = ra_off ? UW_PLACE_CFA_MEM : UW_PLACE_SAME;
	rule.ra_off = ra_off;
	return rule;
}

} // namespace

TEST_CASE("words of an i386 stack have four bytes")
{
	World world(UW_ARCH_I386);
	world.code(text, text + 0x1000,
		   {{0x000, i386_rule(UW_I386_SP, 4)},
		    {0x100, i386_rule(UW_I386_SP, 12)},
		    {0x200, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack).words(stack, {text + 0x110, 0x11111111, 0x22222222, text + 0x210});
	const Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames.size() == 3);
	CHECK(walked.frames[1].pc == text + 0x110);
	CHECK(walked.frames[2].pc == text + 0x210);
	CHECK(walked.frames[0].stack_bytes == 4);
	CHECK(walked.frames[1].stack_bytes == 12);
}

TEST_CASE("a CFA of i386 is a multiple of four")
{
	World world(UW_ARCH_I386);
	world.code(text, text + 0x1000, {{0, i386_rule(UW_I386_SP, 6)}});
	world.pc(text).sp(stack).words(stack, {0, 0, 0});
	CHECK(world.walk().stop == UW_STOP_MISALIGNED);
}

TEST_CASE("frame pointers of i386 lead to the end of their chain")
{
	World world(UW_ARCH_I386);
	world.bare_code(text, text + 0x1000);
	world.pc(text).sp(stack).fp(stack + 8);
	world.words(stack + 8, {stack + 24, text + 0x100}).words(stack + 24, {0, text + 0x200});
	const Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_ZERO_FP);
	REQUIRE(walked.frames.size() == 3);
	CHECK(walked.frames[1].method == UW_METHOD_COMPAT_FP);
	CHECK(walked.frames[2].pc == text + 0x200);
}

TEST_CASE("EBX is found where an inner function saved it, four bytes a slot")
{
	uw_rule saves = i386_rule(UW_I386_SP, 12);
	saves.base_slot = 2;
	World world(UW_ARCH_I386);
	world.code(text, text + 0x1000,
		   {{0x000, saves}, {0x100, i386_rule(UW_I386_BX, 8)}, {0x200, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack).words(stack, {0, stack + 0x40, text + 0x110});
	world.words(stack + 0x44, {text + 0x210});
	const Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	CHECK(walked.frames.size() == 3);
}

TEST_CASE("an i386 signal frame lies where the rule says")
{
	uw_rule rule = kind_rule(UW_RULE_SIGFRAME);
	rule.cfa_off = 4;
	World world(UW_ARCH_I386);
	// gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax, trapno, err, eip
	world.words(stack + 4, {1, 2, 3, 4, 7, 6, 5, 0x44, 3, 2, 1, 0, 14, 0, 0x77});
	world.walk(0);
	uw_regs regs{};
	regs.known = 1u << UW_I386_SP;
	regs.r[UW_I386_SP] = stack;
	REQUIRE(uw_sigframe_apply(&rule, UW_ARCH_I386, &regs, &world.port) == UW_STOP_NONE);
	CHECK(regs.known == 0xff);
	for (const u64 reg : {0, 1, 2, 3, 5, 6, 7})
		CHECK(regs.r[reg] == reg);
	CHECK(regs.r[UW_I386_SP] == 0x44);
	CHECK(regs.pc == 0x77);
}

TEST_CASE("a 32-bit Arm signal frame tells whether Thumb was interrupted")
{
	const uw_rule rule = kind_rule(UW_RULE_SIGFRAME);
	World world(UW_ARCH_ARM);
	std::vector<u64> words{14, 0, 0};
	for (u64 reg = 0; reg < 15; reg++)
		words.push_back(0x100 + reg);
	words.push_back(0x8000);     // pc
	words.push_back(0x60000030); // cpsr: T
	world.words(stack, words);
	world.walk(0);
	uw_regs regs{};
	regs.known = 1u << UW_ARM_SP;
	regs.r[UW_ARM_SP] = stack;
	REQUIRE(uw_sigframe_apply(&rule, UW_ARCH_ARM, &regs, &world.port) == UW_STOP_NONE);
	CHECK(regs.known == 0x7fff);
	for (u64 reg = 0; reg < 15; reg++)
		CHECK(regs.r[reg] == 0x100 + reg);
	CHECK(regs.pc == 0x8000);
	CHECK(regs.thumb);
}

TEST_CASE("the low bit of a Thumb return address is no part of it")
{
	World world(UW_ARCH_ARM);
	world.code(text, text + 0x1000,
		   {{0x000, arm_rule(0, 0)}, {0x100, arm_rule(8, -4)}, {0x200, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack).reg(UW_ARM_LR, text + 0x111).words(stack, {0, text + 0x210});
	const Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames.size() == 3);
	CHECK(walked.frames[1].pc == text + 0x110);
	CHECK(walked.frames[1].method == UW_METHOD_LR);
	CHECK(walked.frames[2].pc == text + 0x210);
	CHECK_FALSE(walked.regs.thumb);
}

TEST_CASE("an offset of the signal frame is for 32-bit rules only")
{
	uw_rule rule = kind_rule(UW_RULE_SIGFRAME);
	const char* why = nullptr;
	rule.cfa_off = 8;
	CHECK(uw_rule_check(&rule, UW_ARCH_I386, &why) == 0);
	CHECK(uw_rule_check(&rule, UW_ARCH_ARM, &why) == 0);
	CHECK(uw_rule_check(&rule, UW_ARCH_X86_64, &why) != 0);
	CHECK(uw_rule_check(&rule, UW_NR_ARCHES, &why) != 0);
}
