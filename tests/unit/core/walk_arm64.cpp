// SPDX-License-Identifier: GPL-2.0
// Link registers, pointer authentication, signal frames.
#include <catch2/catch.hpp>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe00000000;
constexpr u64 pac = 0xff7f000000000000;

const Rows arm64_rows = {{0x000, arm64_leaf(0)},
			 {0x100, arm64_rule(UW_ARM64_SP, 32, -24, -32)},
			 {0x200, kind_rule(UW_RULE_OUTERMOST)},
			 {0x300, kind_rule(UW_RULE_SIGFRAME)}};

World arm64_program()
{
	World world(UW_ARCH_ARM64);
	world.code(text, text + 0x1000, arm64_rows);
	world.pc(text + 0x10).sp(stack).reg(UW_ARM64_LR, text + 0x110).fp(0x1111);
	world.words(stack, {0x2222, text + 0x210});
	return world;
}

// A signal frame at sp that holds these, and every other register as its number.
World& put_arm64_sigframe(World& world, u64 sp, u64 pc, u64 old_sp, u64 lr)
{
	for (u64 reg = 0; reg < 31; reg++)
		world.word(sp + 312 + 8 * reg, reg == UW_ARM64_LR ? lr : reg);
	return world.word(sp + 560, old_sp).word(sp + 568, pc);
}

World& put_x86_sigframe(World& world, u64 sp, u64 pc, u64 old_sp, u64 old_fp)
{
	for (u64 word = 40; word < 0xa0; word += 8)
		world.word(sp + word, word == 0x78 ? old_fp : word);
	return world.word(sp + 0xa0, old_sp).word(sp + 0xa8, pc);
}

} // namespace

TEST_CASE("a leaf of arm64 returns through its link register and may have no frame")
{
	Walked walked = arm64_program().walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames.size() == 3);
	REQUIRE(walked.frames[0].stack_bytes == 0);
	REQUIRE(walked.frames[1].method == UW_METHOD_LR);
	REQUIRE(walked.frames[2].method == UW_METHOD_EH_FRAME);
	REQUIRE(walked.regs.r[UW_ARM64_FP] == 0x2222);
}

TEST_CASE("the link register serves once")
{
	World world(UW_ARCH_ARM64);
	world.code(text, text + 0x1000, arm64_rows);
	world.pc(text + 0x10).sp(stack).reg(UW_ARM64_LR, text + 0x10);
	Walked walked = world.walk();
	REQUIRE(walked.frames.size() == 2);
	REQUIRE(walked.stop == UW_STOP_BACKWARDS); // a leaf cannot call
	world = World(UW_ARCH_ARM64);
	world.code(text, text + 0x100, {{0, arm64_leaf(16)}});
	world.pc(text + 0x10).sp(stack).reg(UW_ARM64_LR, text + 0x10);
	REQUIRE(world.walk().stop == UW_STOP_LOST_REGISTER);
}

TEST_CASE("a link register that is not known stops the walk")
{
	World world = arm64_program();
	REQUIRE(world.forget(UW_ARM64_LR).walk().stop == UW_STOP_LOST_REGISTER);
}

TEST_CASE("a frame may be empty only if the return address is in the link register")
{
	World world(UW_ARCH_ARM64);
	world.code(text, text + 0x100, {{0, arm64_rule(UW_ARM64_SP, 0, -8)}});
	REQUIRE(world.pc(text).sp(stack).word(stack - 8, text).walk().stop == UW_STOP_BACKWARDS);
}

TEST_CASE("return addresses are stripped of their authentication code")
{
	World world = arm64_program();
	world.port.pac_mask = pac;
	world.reg(UW_ARM64_LR, (text + 0x110) | 0x5a31000000000000);
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames[1].pc == text + 0x110);
	world.reg(UW_ARM64_LR, 0x5a31000000000000);
	REQUIRE(world.walk().stop == UW_STOP_ZERO_RA);
}

TEST_CASE("an arm64 signal frame gives every register, and an exact pc")
{
	World world(UW_ARCH_ARM64);
	world.code(text, text + 0x1000, arm64_rows);
	world.pc(text + 0x304).sp(stack);
	// The interrupted pc is a function's first byte: looked up as it is.
	put_arm64_sigframe(world, stack, text + 0x000, stack - 0x4000, text + 0x110);
	world.words(stack - 0x4000, {0x2222, text + 0x210});
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames.size() == 4);
	REQUIRE(walked.frames[0].stack_bytes == UW_STACK_BYTES_UNKNOWN);
	REQUIRE(walked.frames[1].method == UW_METHOD_SIGFRAME);
	REQUIRE(walked.frames[1].offset == 0);
	REQUIRE(walked.frames[2].method == UW_METHOD_LR);
	REQUIRE(world.port.reads == 33 + 2);
}

static const uw_rule signal_frame = kind_rule(UW_RULE_SIGFRAME);

TEST_CASE("an arm64 signal frame restores each register to its number")
{
	World world(UW_ARCH_ARM64);
	uw_regs regs{};
	regs.known = 1u << UW_ARM64_SP;
	regs.r[UW_ARM64_SP] = stack;
	put_arm64_sigframe(world, stack, 0x77, 0x99, UW_ARM64_LR);
	world.walk(0);
	REQUIRE(uw_sigframe_apply(&signal_frame, UW_ARCH_ARM64, &regs, &world.port) == UW_STOP_NONE);
	REQUIRE(regs.known == ~0u);
	for (u64 reg = 0; reg < 31; reg++)
		REQUIRE(regs.r[reg] == reg);
	REQUIRE(regs.r[UW_ARM64_SP] == 0x99);
	REQUIRE(regs.pc == 0x77);
}

TEST_CASE("an x86 signal frame restores each register by the kernel's layout")
{
	World world(UW_ARCH_X86_64);
	uw_regs regs{};
	regs.known = 1u << UW_X86_SP;
	regs.r[UW_X86_SP] = stack;
	put_x86_sigframe(world, stack, 0x77, 0x99, 0x55);
	world.walk(0);
	REQUIRE(uw_sigframe_apply(&signal_frame, UW_ARCH_X86_64, &regs, &world.port) == UW_STOP_NONE);
	REQUIRE(regs.known == 0xffff);
	for (u64 reg = 8; reg < 16; reg++)
		REQUIRE(regs.r[reg] == 40 + 8 * (reg - 8));
	REQUIRE(regs.r[5] == 0x68); // rdi
	REQUIRE(regs.r[4] == 0x70); // rsi
	REQUIRE(regs.r[6] == 0x55); // rbp, at 0x78
	REQUIRE(regs.r[3] == 0x80); // rbx
	REQUIRE(regs.r[1] == 0x88); // rdx
	REQUIRE(regs.r[0] == 0x90); // rax
	REQUIRE(regs.r[2] == 0x98); // rcx
	REQUIRE(regs.r[7] == 0x99); // rsp, at 0xa0
	REQUIRE(regs.pc == 0x77);   // rip, at 0xa8
}

TEST_CASE("a signal frame needs the stack pointer")
{
	World world(UW_ARCH_X86_64);
	uw_regs regs{};
	REQUIRE(uw_sigframe_apply(&signal_frame, UW_ARCH_X86_64, &regs, &world.port) == UW_STOP_LOST_REGISTER);
}

TEST_CASE("signal frames that lead to each other end after sixteen")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, kind_rule(UW_RULE_SIGFRAME)}});
	world.pc(text).sp(stack);
	put_x86_sigframe(world, stack, text, stack, 0);
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_DEPTH);
	REQUIRE(walked.frames.size() == 17);
}

TEST_CASE("the function that a signal interrupted may use any register")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x200, {{0, kind_rule(UW_RULE_SIGFRAME)}, {0x100, x86_rule(10, 0)}});
	world.pc(text).sp(stack);
	for (u64 word = 40; word < 0xa0; word += 8)
		world.word(stack + word, stack + 0x200); // r10 among them
	world.word(stack + 0xa0, stack + 0x100).word(stack + 0xa8, text + 0x100);
	world.word(stack + 0x1f8, 0);
	REQUIRE(world.walk().stop == UW_STOP_ZERO_RA);
}
