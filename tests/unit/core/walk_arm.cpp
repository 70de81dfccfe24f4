// SPDX-License-Identifier: GPL-2.0
// Frame pointers of 32-bit Arm: each compiler's frame, and what must not be taken for one.
#include <catch2/catch.hpp>

#include "unit/core/walk_arm.h"

using namespace core;
using namespace core::armhf;

namespace {

// What a first frame of clang's has above it when the word before its return address is this.
std::size_t frames_after(u64 ra, u64 instruction)
{
	World world(UW_ARCH_ARM);
	world.bare_code(arm, arm + 0x100).pc(arm + 0x10).sp(stack).fp(stack + 8);
	world.word((ra & ~1ull) - 4, instruction).words(stack + 8, {0, ra});
	return world.walk().frames.size();
}

} // namespace

TEST_CASE("clang's records in ARM code are followed by r11 to the end of their chain")
{
	World world = in_arm(stack + 8);
	world.words(stack + 8, {stack + 32, arm + 0x20}).words(stack + 32, {0, arm + 0x30});
	const Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_ZERO_FP);
	CHECK(pcs(walked) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
	CHECK(walked.frames[1].method == UW_METHOD_COMPAT_FP);
	CHECK(walked.frames[0].stack_bytes == UW_STACK_BYTES_UNKNOWN);
	CHECK(walked.regs.known == 1u << UW_ARM_FP);
	CHECK(walked.regs.r[UW_ARM_SP] == stack + 40);
}

TEST_CASE("clang's records in Thumb code are followed by r7, and bit 0 is no part of an address")
{
	World world = in_thumb(stack + 8);
	world.words(stack + 8, {stack + 32, thumb + 0x21}).words(stack + 32, {0, thumb + 0x31});
	const Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_ZERO_FP);
	CHECK(pcs(walked) == Pcs{thumb + 0x10, thumb + 0x20, thumb + 0x30});
	CHECK(walked.regs.known == 1u << UW_ARM_R7);
	CHECK(walked.regs.thumb);
}

TEST_CASE("gcc's ARM frames have LR at FP and the old FP below")
{
	World world = in_arm(stack + 8);
	world.words(stack + 4, {stack + 32, arm + 0x20}).words(stack + 28, {0, arm + 0x30});
	const Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_ZERO_FP);
	CHECK(pcs(walked) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
	CHECK(walked.frames[0].stack_bytes == UW_STACK_BYTES_UNKNOWN); // it may be variadic
	CHECK(walked.regs.r[UW_ARM_SP] == stack + 36);
	World below = in_arm(stack); // the old FP would lie below SP
	CHECK(stop_of(below.words(stack - 4, {0, arm + 0x20, 5})) == UW_STOP_NO_TABLE);
}

TEST_CASE("a leaf of gcc's returns through LR, at an exact pc only")
{
	World world = in_arm(stack + 8);
	world.words(stack + 8, {stack + 32, 5}).words(stack + 28, {0, arm + 0x30}).reg(UW_ARM_LR, arm + 0x20);
	CHECK(pcs(world.walk()) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
	CHECK(stop_of(world) == UW_STOP_ZERO_FP);
	CHECK(stop_of(world.forget(UW_ARM_LR)) == UW_STOP_NO_TABLE);
}

TEST_CASE("a leaf of gcc's is one only if LR is a return address and FP leads to a caller's frame")
{
	World bad_lr = in_arm(stack + 8);
	bad_lr.words(stack + 8, {stack + 32, 5}).words(stack + 28, {0, arm + 0x30});
	CHECK(stop_of(bad_lr.reg(UW_ARM_LR, plain + 0x20)) == UW_STOP_NO_TABLE);
	CHECK(stop_of(bad_lr.reg(UW_ARM_LR, 0x1234)) == UW_STOP_NO_TABLE);
	World no_caller = in_arm(stack + 8);
	no_caller.words(stack + 8, {stack + 32, 5}).words(stack + 28, {0, 1, 2}).reg(UW_ARM_LR, arm + 0x20);
	CHECK(no_caller.walk().frames.size() == 1);
	World below = in_arm(stack + 8);
	below.words(stack + 4, {arm + 0x30, stack + 4, 5}).reg(UW_ARM_LR, arm + 0x20);
	CHECK(below.walk().frames.size() == 1);
	World unreadable = in_arm(stack + 8);
	unreadable.words(stack + 8, {stack + 0x8000, 5}).reg(UW_ARM_LR, arm + 0x20);
	CHECK(stop_of(unreadable) == UW_STOP_NO_TABLE);
}

TEST_CASE("an APCS frame tells its caller's SP")
{
	World world = in_arm(stack + 20);
	world.words(stack + 8, {stack + 44, stack + 24, arm + 0x20, plain + 8});
	world.words(stack + 32, {0, stack + 64, arm + 0x30, plain + 8}); // variadic: four words above
	const Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_ZERO_FP);
	CHECK(pcs(walked) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
	CHECK(walked.frames[0].stack_bytes == 24);
	CHECK(walked.frames[1].stack_bytes == 40);
	CHECK(walked.regs.known == (1u << UW_ARM_FP | 1u << UW_ARM_SP));
	CHECK(walked.regs.r[UW_ARM_SP] == stack + 64);
}

TEST_CASE("four words are an APCS frame only if SP and LR fit")
{
	const std::vector<u64> good = {0, stack + 24, arm + 0x20, plain + 8};
	const auto frames = [&](std::size_t index, u64 value) {
		std::vector<u64> words = good;
		words[index] = value;
		World world = in_arm(stack + 20);
		return world.words(stack + 8, words).word(stack + 24, 0).walk().frames.size();
	};
	CHECK(frames(0, 0) == 2);
	CHECK(frames(1, stack + 40) == 2);
	CHECK(frames(1, stack + 20) == 1);
	CHECK(frames(1, stack + 25) == 1);
	CHECK(frames(1, stack + 44) == 1);
	CHECK(frames(2, plain + 0x20) == 1);
	CHECK(frames(3, plain + 9) == 1);
	CHECK(frames(3, 0x1234) == 1);
	World low = in_arm(stack + 20);
	CHECK(low.sp(stack + 12).words(stack + 8, good).word(stack + 24, 0).walk().frames.size() == 1);
}

TEST_CASE("frames of all conventions of ARM code may follow each other")
{
	World world = in_arm(stack + 8);
	world.words(stack + 8, {stack + 32, 5}).reg(UW_ARM_LR, arm + 0x20);                   // gcc, leaf
	world.words(stack + 28, {stack + 60, arm + 0x30});                                    // gcc
	world.words(stack + 48, {stack + 80, stack + 64, arm + 0x40, plain + 8});             // APCS
	world.words(stack + 80, {stack + 96, arm + 0x50}).words(stack + 92, {0, arm + 0x60}); // clang, gcc
	const Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_ZERO_FP);
	CHECK(pcs(walked) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30, arm + 0x40, arm + 0x50, arm + 0x60});
	CHECK(walked.frames[2].stack_bytes == UW_STACK_BYTES_UNKNOWN);
}

TEST_CASE("clang's frame under one of gcc's looks like a leaf unless LR says the same")
{
	World world = in_arm(stack + 8);
	world.words(stack + 8, {stack + 32, arm + 0x20}).words(stack + 28, {0, arm + 0x30});
	CHECK(stop_of(world.reg(UW_ARM_LR, arm + 0x40)) == UW_STOP_NO_TABLE);
	CHECK(pcs(world.reg(UW_ARM_LR, arm + 0x20).walk()) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
	CHECK(pcs(world.reg(UW_ARM_LR, plain + 0x20).walk()) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
	CHECK(pcs(world.forget(UW_ARM_LR).walk()) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
}

TEST_CASE("clang's frame under another of clang's is none of a leaf, whatever LR is")
{
	World world = in_arm(stack + 8);
	world.words(stack + 8, {stack + 32, arm + 0x20}).words(stack + 32, {0, arm + 0x30}).reg(UW_ARM_LR, arm + 0x40);
	CHECK(pcs(world.walk()) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30});
}

TEST_CASE("a caller's r11 that points to code does not make a record a frame of gcc's")
{
	World world = in_arm(stack + 8);
	world.words(stack + 4, {0, plain + 0x20, arm + 0x20});
	CHECK(pcs(world.walk()) == Pcs{arm + 0x10, arm + 0x20});
}

TEST_CASE("an executable stack changes nothing")
{
	World world = in_arm(stack + 8);
	world.bare_code(stack, stack + 0x1000);
	world.words(stack, {0, 0, stack + 32, arm + 0x20, 0, 0, 0, 0, stack + 56, arm + 0x30});
	world.words(stack + 40, {0, 0, 0, 0, 0, arm + 0x40}).reg(UW_ARM_LR, arm + 0x50);
	CHECK(pcs(world.walk()) == Pcs{arm + 0x10, arm + 0x20, arm + 0x30, arm + 0x40});
	CHECK(stop_of(world) == UW_STOP_ZERO_FP);
}

TEST_CASE("r7 at the bottom of a frame of gcc's Thumb code leads nowhere")
{
	World callback = in_thumb(stack); // void walk_list(void (*f)(void *), void *context)
	CHECK(stop_of(callback.words(stack, {stack + 32, (plain + 0x20) | 1})) == UW_STOP_NO_TABLE);
	World zeros = in_thumb(stack);
	CHECK(stop_of(zeros.words(stack, {0, 0})) == UW_STOP_NO_TABLE);
	World called = in_thumb(stack);
	called.words(stack, {stack + 32, thumb + 0x21}).words(stack + 32, {0, 0});
	CHECK(stop_of(called) == UW_STOP_BAD_PC); // two variables are no end of a stack
	CHECK(called.walk().frames.size() == 2);
}

TEST_CASE("a return address has a call before it, in its own mode")
{
	for (const u64 call : {bl_arm, blx_to_thumb, blx_r3, u64{0x0b000000}, u64{0xfb000000}})
		CHECK(frames_after(arm + 0x20, call) == 2);
	for (const u64 other : {nop, u64{0xea000000}, u64{0xe12fff13}, u64{0xe12fff3e} ^ 0x10, bl_thumb})
		CHECK(frames_after(arm + 0x20, other) == 1);
	for (const u64 call : {bl_thumb, blx_to_arm, blx_r3_thumb})
		CHECK(frames_after(arm + 0x21, call) == 2);
	for (const u64 other : {nop, bl_arm, u64{0x4718bf00}, u64{0xb800f000}, u64{0xc001f000}, u64{0xf800e800}})
		CHECK(frames_after(arm + 0x21, other) == 1);
	CHECK(frames_after(arm + 0x22, bl_arm) == 1);
	CHECK(frames_after(arm + 0x23, blx_r3_thumb) == 2);
	CHECK(frames_after(0x1234, bl_arm) == 1);
	CHECK(frames_after(arm + 0x100, bl_arm) == 2); // the last instruction of all
}

TEST_CASE("what a signal's handler returns to needs no call, and tells SP")
{
	World world = make_world();
	world.code(rows, rows + 0x100, {{0, kind_rule(UW_RULE_SIGFRAME)}, {0x80, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(thumb + 0x10).thumb(true).reg(UW_ARM_R7, stack + 8).words(stack + 8, {0, rows + 0x20});
	world.words(stack + 16, {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, stack + 0x100, 14, rows + 0x90, 0});
	const Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_OUTERMOST);
	CHECK(pcs(walked) == Pcs{thumb + 0x10, rows + 0x20, rows + 0x90});
	CHECK(walked.frames[0].stack_bytes == 16);
}

TEST_CASE("the handler of a signal may be a leaf of gcc's")
{
	World world = in_arm(stack + 8);
	world.code(rows, rows + 0x100, {{0, kind_rule(UW_RULE_SIGFRAME)}}).reg(UW_ARM_LR, rows + 0x20);
	world.words(stack + 8, {stack + 32, 5}).words(stack + 28, {0, arm + 0x30});
	const Walked walked = world.walk();
	CHECK(walked.frames.size() == 2);
	CHECK(walked.frames[0].stack_bytes == 12);
}

TEST_CASE("what rows call the end of a stack needs no call before it")
{
	for (const uw_rule_kind kind : {UW_RULE_OUTERMOST, UW_RULE_THREAD_START}) {
		World world = in_arm(stack + 8);
		world.code(rows, rows + 0x100, {{0, kind_rule(kind)}}).words(stack + 8, {0, rows + 0x20});
		const Walked walked = world.walk();
		CHECK(walked.frames.size() == 2);
		CHECK(walked.stop == (kind == UW_RULE_OUTERMOST ? UW_STOP_OUTERMOST : UW_STOP_THREAD_START));
	}
}

TEST_CASE("other rows do not vouch for a return address")
{
	World world = in_arm(stack + 8);
	world.code(rows, rows + 0x100, {{0, kind_rule(UW_RULE_FRAME)}}).words(stack + 8, {0, rows + 0x20});
	CHECK(stop_of(world.word(rows + 0x1c, nop)) == UW_STOP_NO_TABLE);
}
