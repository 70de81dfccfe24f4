// SPDX-License-Identifier: GPL-2.0
// Frame pointers of 32-bit Arm: both modes, rows among them, and how such walks end.
#include <catch2/catch.hpp>

#include "unit/core/walk_arm.h"

using namespace core;
using namespace core::armhf;

namespace {

// Two records in ARM code; the second is what the test wants.
World chain(u64 last_fp, u64 last_ra)
{
	World world = in_arm(stack + 8);
	world.words(stack + 8, {stack + 32, arm + 0x20}).words(stack + 32, {last_fp, last_ra});
	return world;
}

uw_rule arm_rule(u8 reg, s32 off, s32 ra_off)
{
	uw_rule rule = kind_rule(UW_RULE_FRAME);
	rule.cfa_reg = reg;
	rule.cfa_off = off;
	rule.ra_place = UW_PLACE_CFA_MEM;
	rule.ra_off = ra_off;
	return rule;
}

// A record in Thumb code at r11, whose return address has this instruction before it.
World aapcs(u64 ra, u64 instruction)
{
	World world(UW_ARCH_ARM);
	world.bare_code(thumb, thumb + 0x100).bare_code(rows, rows + 0x100);
	world.pc(thumb + 0x10).thumb(true).sp(stack).fp(stack + 8);
	world.word((ra & ~1ull) - 4, instruction).words(stack + 8, {0, ra});
	return world;
}

} // namespace

TEST_CASE("Thumb code by the AAPCS32 is left by r11, and the chain crosses modes")
{
	World world = make_world();
	world.pc(thumb + 0x10).thumb(true).fp(stack + 8).reg(UW_ARM_R7, 5);
	world.words(stack + 8, {stack + 32, thumb + 0x21}).words(stack + 32, {stack + 48, rows + 0x20});
	world.bare_code(rows, rows + 0x100).word(rows + 0x1c, blx_to_thumb);
	world.words(stack + 48, {stack + 64, thumb + 0x31}).words(stack + 64, {0, thumb + 0x41});
	const Walked walked = world.walk();
	CHECK(pcs(walked) == Pcs{thumb + 0x10, thumb + 0x20, rows + 0x20, thumb + 0x30, thumb + 0x40});
	CHECK(walked.stop == UW_STOP_ZERO_FP);
	CHECK(walked.regs.known == 1u << UW_ARM_FP);
}

TEST_CASE("Thumb code is left by r11 only if the record's call leads to Thumb code")
{
	CHECK(aapcs(rows + 0x21, bl_thumb).walk().frames.size() == 2);
	CHECK(aapcs(rows + 0x20, blx_to_thumb).walk().frames.size() == 2);
	for (const u64 call : {blx_to_arm, blx_r3_thumb})
		CHECK(aapcs(rows + 0x21, call).walk().stop == UW_STOP_NO_TABLE);
	for (const u64 call : {bl_arm, blx_r3})
		CHECK(aapcs(rows + 0x20, call).walk().stop == UW_STOP_NO_TABLE);
}

TEST_CASE("once Thumb code was left by r11, calls through a register are good enough")
{
	const auto frames = [](u64 call) {
		World longer(UW_ARCH_ARM);
		longer.bare_code(thumb, thumb + 0x100).bare_code(rows, rows + 0x100);
		longer.pc(thumb + 0x10).thumb(true).sp(stack).fp(stack + 8);
		longer.word(rows + 0x1c, bl_thumb).word(rows + 0x2c, call);
		longer.words(stack + 8, {stack + 32, rows + 0x21}).words(stack + 32, {0, rows + 0x31});
		return longer.walk().frames.size();
	};
	CHECK(frames(blx_r3_thumb) == 3);
	CHECK(frames(bl_thumb) == 3);
	CHECK(frames(blx_to_arm) == 2);
}

TEST_CASE("of two records of Thumb code the lower one is the inner function's")
{
	World world = in_thumb(stack + 8);
	world.fp(stack + 32).words(stack + 8, {0, thumb + 0x21}).words(stack + 32, {0, thumb + 0x31});
	CHECK(pcs(world.walk()) == Pcs{thumb + 0x10, thumb + 0x20});
	world.reg(UW_ARM_R7, stack + 32).fp(stack + 8);
	CHECK(pcs(world.walk()) == Pcs{thumb + 0x10, thumb + 0x20});
	world.fp(stack - 8); // below SP
	CHECK(pcs(world.walk()) == Pcs{thumb + 0x10, thumb + 0x30});
	world.word(stack - 8, 0).word(stack - 4, thumb + 0x41);
	CHECK(pcs(world.walk()) == Pcs{thumb + 0x10, thumb + 0x30});
}

TEST_CASE("the frame pointer of the other mode is lost in a step")
{
	World to_arm = in_thumb(stack + 8);
	to_arm.fp(stack + 32).words(stack + 8, {stack + 32, arm + 0x20}).words(stack + 32, {0, arm + 0x30});
	CHECK(pcs(to_arm.walk()) == Pcs{thumb + 0x10, arm + 0x20});
	CHECK(stop_of(to_arm) == UW_STOP_NO_TABLE);
	World to_thumb = in_arm(stack + 8); // r11 may be that of a caller's caller
	to_thumb.reg(UW_ARM_R7, stack + 32).words(stack + 8, {stack + 32, thumb + 0x21});
	to_thumb.words(stack + 32, {0, arm + 0x30});
	CHECK(pcs(to_thumb.walk()) == Pcs{arm + 0x10, thumb + 0x20});
	CHECK(stop_of(to_thumb) == UW_STOP_NO_TABLE);
}

TEST_CASE("r11 of 0 in Thumb code ends a stack only by the AAPCS32")
{
	World unknown = in_arm(stack + 8);
	CHECK(stop_of(unknown.words(stack + 8, {0, thumb + 0x21})) == UW_STOP_NO_TABLE);
	CHECK(aapcs(rows + 0x21, bl_thumb).walk().stop == UW_STOP_ZERO_FP);
}

TEST_CASE("a broken chain of 32-bit Arm says what broke")
{
	CHECK(chain(stack + 20, arm + 0x30).walk().stop == UW_STOP_BACKWARDS);
	CHECK(chain(stack + 36, arm + 0x30).walk().stop == UW_STOP_BACKWARDS);
	CHECK(chain(stack + 61, arm + 0x30).walk().stop == UW_STOP_MISALIGNED);
	CHECK(chain(stack + 128, arm + 0x30).walk().stop == UW_STOP_BAD_READ);
	CHECK(chain(0xfffffffc, arm + 0x30).walk().stop == UW_STOP_BAD_READ);
	CHECK(chain(0, 0).walk().stop == UW_STOP_ZERO_RA);
	CHECK(chain(0, 0x1234).walk().stop == UW_STOP_BAD_PC);
	CHECK(chain(0, plain + 0x30).walk().stop == UW_STOP_BAD_PC);
	CHECK(chain(5, 0).walk().stop == UW_STOP_BAD_PC);
	CHECK(chain(0, arm + 0x30).walk(2).stop == UW_STOP_DEPTH);
}

TEST_CASE("a first frame pointer of 32-bit Arm that is none means that a table is missing")
{
	for (const u64 fp : {u64{0}, stack - 8, stack + 2, u64{0xfffffffc}, stack + (16 << 20)}) {
		World by_r11 = in_arm(fp);
		CHECK(stop_of(by_r11) == UW_STOP_NO_TABLE);
		World by_r7 = in_thumb(fp);
		CHECK(stop_of(by_r7) == UW_STOP_NO_TABLE);
	}
	for (const u64 ra : {u64{0}, u64{0x1234}, plain + 0x20}) {
		World world = in_arm(stack + 8);
		CHECK(stop_of(world.words(stack + 8, {0, ra})) == UW_STOP_NO_TABLE);
	}
	World lost = in_arm(stack + 8);
	CHECK(stop_of(lost.words(stack + 8, {0, arm + 0x20}).forget(UW_ARM_FP)) == UW_STOP_NO_TABLE);
	World none = in_thumb(stack + 8);
	CHECK(stop_of(none.words(stack + 8, {0, thumb + 0x21}).forget(UW_ARM_R7)) == UW_STOP_NO_TABLE);
}

TEST_CASE("a first frame pointer of 32-bit Arm near SP that cannot be read is a bad read")
{
	World by_r11 = in_arm(stack + 64);
	CHECK(stop_of(by_r11) == UW_STOP_BAD_READ);
	World by_r7 = in_thumb(stack + 64);
	CHECK(stop_of(by_r7) == UW_STOP_BAD_READ);
}

TEST_CASE("a fault at each read of a frame of 32-bit Arm stops the walk with its name")
{
	const auto stops = [](World& world, u32 reads) {
		const u32 frames = static_cast<u32>(world.walk().frames.size());
		REQUIRE(frames > 1);
		for (u32 at = 1; at <= reads; at++) {
			INFO(at);
			world.port.fail_at = at;
			world.port.fail_with = -EINTR;
			CHECK(stop_of(world) == UW_STOP_KILLED);
			CHECK(world.port.reads == at);
		}
		world.port.fail_at = 0;
	};
	World clang = in_arm(stack + 8);
	stops(clang.words(stack + 8, {0, arm + 0x20}), 3);
	World gcc = in_arm(stack + 8);
	stops(gcc.words(stack + 4, {0, arm + 0x20}), 3);
	World apcs = in_arm(stack + 20);
	stops(apcs.words(stack + 8, {0, stack + 24, arm + 0x20, plain + 8}), 6);
	World leaf = in_arm(stack + 8);
	leaf.words(stack + 8, {stack + 32, 5}).words(stack + 28, {0, arm + 0x30}).reg(UW_ARM_LR, arm + 0x20);
	stops(leaf, 7);
	World thumb_code = in_thumb(stack + 8);
	thumb_code.fp(stack + 32).words(stack + 32, {0, thumb + 0x31}); // no way out of a kill
	stops(thumb_code.words(stack + 8, {0, thumb + 0x21}), 3);
	World by_aapcs = in_thumb(5);
	stops(by_aapcs.fp(stack + 8).words(stack + 8, {0, thumb + 0x21}), 3);
}

TEST_CASE("code before a return address that cannot be read leaves it unproven")
{
	World world = in_arm(stack + 8);
	world.words(stack + 8, {0, arm + 0x20});
	world.port.fail_at = 3;
	world.port.fail_with = -EACCES;
	CHECK(stop_of(world) == UW_STOP_REFUSED_READ);
	CHECK(world.walk().frames.size() == 1);
}

TEST_CASE("no frame of 32-bit Arm takes more reads than are promised")
{
	World world = in_arm(stack + 20); // nothing fits, as late as possible, twice
	world.words(stack + 8, {0, stack + 24, plain + 0x20, plain + 8, plain + 0x20});
	world.reg(UW_ARM_LR, arm + 0x20);
	CHECK(stop_of(world) == UW_STOP_NO_TABLE);
	CHECK(world.port.reads == 7);
	World leaf = in_arm(stack + 20);
	leaf.bare_code(stack, stack + 0x100)
		.words(stack, {0, 0, 0, stack + 24, plain + 0x20, stack + 56, plain + 0x20});
	leaf.words(stack + 28, {0, 0, 0, 0, 0, stack + 60, plain + 0x20, plain + 8, plain + 0x20});
	CHECK(stop_of(leaf.reg(UW_ARM_LR, arm + 0x20)) == UW_STOP_NO_TABLE);
	CHECK(leaf.port.reads == 15);
}

TEST_CASE("rows and frame pointers of 32-bit Arm may alternate")
{
	uw_rule saves = arm_rule(UW_ARM_SP, 16, -4);
	saves.base_slot = 2;
	World world = make_world();
	world.code(rows, rows + 0x100,
		   {{0, saves}, {0x40, arm_rule(UW_ARM_R7, 8, -4)}, {0x80, kind_rule(UW_RULE_OUTERMOST)}});
	for (u64 at = 0; at < 0x100; at += 4)
		world.word(rows + at, bl_thumb);
	world.pc(rows + 0x10).thumb(true).reg(UW_ARM_R7, 5);
	world.words(stack, {0, 0, stack + 32, thumb + 0x21}); // the row: r7 on the stack
	world.words(stack + 32, {stack + 48, rows + 0x51});   // by r7
	world.words(stack + 48, {stack + 64, thumb + 0x31});  // the row that counts from r7
	world.words(stack + 64, {0, rows + 0x91});
	const Walked walked = world.walk();
	CHECK(walked.frames[1].method == UW_METHOD_EH_FRAME);
	CHECK(walked.frames[2].method == UW_METHOD_COMPAT_FP);
	CHECK(walked.frames[3].method == UW_METHOD_EH_FRAME);
	CHECK(pcs(walked) == Pcs{rows + 0x10, thumb + 0x20, rows + 0x50, thumb + 0x30});
}

TEST_CASE("r7 on the stack that cannot be read is no frame pointer")
{
	uw_rule saves = arm_rule(UW_ARM_SP, 16, -4);
	saves.base_slot = 2;
	World world = make_world();
	world.code(rows, rows + 0x100, {{0, saves}}).pc(rows + 0x10).thumb(true).reg(UW_ARM_R7, 5);
	CHECK(stop_of(world.word(stack + 12, thumb + 0x21)) == UW_STOP_NO_TABLE);
}

TEST_CASE("a row relative to SP needs a frame pointer step that tells SP")
{
	const auto stop = [](const std::vector<u64>& words, u64 fp) {
		World world = in_arm(fp);
		world.code(rows, rows + 0x100, {{0, arm_rule(UW_ARM_SP, 8, -4)}, {0x80, kind_rule(UW_RULE_OUTERMOST)}});
		world.word(rows + 0x1c, bl_arm).words(stack + 8, words).word(stack + 28, rows + 0x90);
		return stop_of(world);
	};
	CHECK(stop({0, stack + 24, rows + 0x20, plain + 8, 0}, stack + 20) == UW_STOP_OUTERMOST);
	CHECK(stop({0, rows + 0x20, 0, 0, 0}, stack + 8) == UW_STOP_LOST_REGISTER);
	CHECK(stop({0, rows + 0x20, 0, 0, 0}, stack + 12) == UW_STOP_LOST_REGISTER);
}
