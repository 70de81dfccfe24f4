// SPDX-License-Identifier: GPL-2.0
// The walk: how frames are found, and every reason to stop.
#include <catch2/catch.hpp>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe00000000;

// Functions a (leaf, pushes nothing), b (32-byte frame), c (FP-based), start.
World x86_program()
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x1000,
		   {{0x000, x86_rule(UW_X86_SP, 8)},
		    {0x100, x86_rule(UW_X86_SP, 32)},
		    {0x200, x86_rule(UW_X86_FP, 16, -16)},
		    {0x300, kind_rule(UW_RULE_OUTERMOST)},
		    {0x400, kind_rule(UW_RULE_NONE)}});
	world.pc(text + 0x10).sp(stack).fp(stack + 64);
	world.word(stack, text + 0x110);
	world.word(stack + 8 + 24, text + 0x210);
	world.words(stack + 64, {stack + 0x500, text + 0x310});
	return world;
}

std::vector<u64> offsets(const Walked& walked)
{
	std::vector<u64> all;
	for (const uw_frame& frame : walked.frames)
		all.push_back(frame.offset);
	return all;
}

std::vector<u32> sizes(const Walked& walked)
{
	std::vector<u32> all;
	for (const uw_frame& frame : walked.frames)
		all.push_back(frame.stack_bytes);
	return all;
}

std::vector<int> methods(const Walked& walked)
{
	std::vector<int> all;
	for (const uw_frame& frame : walked.frames)
		all.push_back(frame.method);
	return all;
}

constexpr u32 unknown = UW_STACK_BYTES_UNKNOWN;

} // namespace

TEST_CASE("a walk follows rows from the pc to the outermost function")
{
	Walked walked = x86_program().walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(offsets(walked) == std::vector<u64>{0x10, 0x110, 0x210, 0x310});
	REQUIRE(sizes(walked) == std::vector<u32>{8, 32, 40, unknown});
	REQUIRE(methods(walked) ==
		std::vector<int>{UW_METHOD_PC, UW_METHOD_EH_FRAME, UW_METHOD_EH_FRAME, UW_METHOD_EH_FRAME});
	REQUIRE(walked.frames[1].pc == text + 0x110);
	REQUIRE(walked.frames[1].file == 1);
}

TEST_CASE("a return address is looked up one byte earlier, an exact pc as it is")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100,
		   {{0x00, x86_rule(UW_X86_SP, 8)},
		    {0x10, x86_rule(UW_X86_SP, 24)},
		    {0x20, kind_rule(UW_RULE_OUTERMOST)}});
	// Both pcs are the first byte behind a function that ends in a call.
	world.pc(text + 0x10).sp(stack).words(stack, {0, 0, text + 0x20, 0, 0, 0});
	Walked walked = world.walk();
	REQUIRE(offsets(walked) == std::vector<u64>{0x10, 0x20});
	REQUIRE(walked.stop == UW_STOP_ZERO_RA); // by the row of 0x1f, not of 0x20
}

TEST_CASE("a return address of 0 completes the stack")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 8)}});
	Walked walked = world.pc(text).sp(stack).word(stack, 0).walk();
	REQUIRE(walked.stop == UW_STOP_ZERO_RA);
	REQUIRE(sizes(walked) == std::vector<u32>{unknown});
}

TEST_CASE("in code of which nothing is known, a caller's frame pointer is tried, an exact pc's is not")
{
	World called(UW_ARCH_X86_64);
	called.code(text, text + 0x300,
		    {{0, x86_rule(UW_X86_SP, 8)},
		     {0x100, kind_rule(UW_RULE_UNKNOWN)},
		     {0x200, kind_rule(UW_RULE_OUTERMOST)}});
	called.pc(text).sp(stack).fp(stack + 16).words(stack, {text + 0x110, 0, 0, text + 0x210});
	REQUIRE(called.walk().stop == UW_STOP_OUTERMOST);

	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x200, {{0, kind_rule(UW_RULE_UNKNOWN)}, {0x100, kind_rule(UW_RULE_OUTERMOST)}});
	Walked walked = world.pc(text).sp(stack).fp(stack).words(stack, {0, text + 0x110}).walk();
	REQUIRE(walked.stop == UW_STOP_NO_TABLE);
	REQUIRE(walked.frames.size() == 1);
}

TEST_CASE("the first code of a thread completes the stack")
{
	World world(UW_ARCH_ARM64);
	world.code(text, text + 0x100, {{0, kind_rule(UW_RULE_THREAD_START)}});
	REQUIRE(world.pc(text).sp(stack).walk().stop == UW_STOP_THREAD_START);
}

TEST_CASE("a return address that is not executable stops the walk and is not shown")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 8)}});
	Walked walked = world.pc(text).sp(stack).word(stack, 0x1234).walk();
	REQUIRE(walked.stop == UW_STOP_BAD_PC);
	REQUIRE(walked.frames.size() == 1);
}

TEST_CASE("a first pc that is not executable is shown")
{
	World world(UW_ARCH_X86_64);
	Walked walked = world.pc(0).sp(stack).walk();
	REQUIRE(walked.stop == UW_STOP_BAD_PC);
	REQUIRE(walked.frames.size() == 1);
	REQUIRE(walked.frames[0].pc == 0);
	REQUIRE(walked.frames[0].file == 0);
	REQUIRE(world.walk(0).stop == UW_STOP_DEPTH);
}

TEST_CASE("registers without a stack pointer, or of no architecture, are of no use")
{
	World world = x86_program();
	REQUIRE(world.forget(UW_X86_SP).walk().stop == UW_STOP_BAD_REGS);
	REQUIRE(World(UW_ARCH_NONE).pc(text).sp(stack).walk().stop == UW_STOP_BAD_REGS);
}

TEST_CASE("a rule whose CFA does not rise stops the walk")
{
	for (s32 off : {0, -8, -4096}) {
		World world(UW_ARCH_X86_64);
		world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, off)}});
		world.pc(text).sp(stack).word(stack + static_cast<u64>(off) - 8, text);
		REQUIRE(world.walk().stop == UW_STOP_BACKWARDS);
	}
}

TEST_CASE("a CFA that is not a multiple of 8 stops the walk")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 12)}});
	REQUIRE(world.pc(text).sp(stack).walk().stop == UW_STOP_MISALIGNED);
}

TEST_CASE("stack that cannot be read stops the walk, with the port's reason")
{
	World world = x86_program();
	const std::pair<int, uw_stop> reasons[] = {
		{-EFAULT, UW_STOP_BAD_READ}, {-EACCES, UW_STOP_REFUSED_READ}, {-EINTR, UW_STOP_KILLED}};
	for (auto [err, stop] : reasons) {
		world.port.fail_at = 2;
		world.port.fail_with = err;
		Walked walked = world.walk();
		REQUIRE(walked.stop == stop);
		REQUIRE(walked.frames.size() == 2);
		REQUIRE(world.port.reads == 2);
	}
}

TEST_CASE("a rule that needs a register that is lost stops the walk")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x200, {{0, x86_rule(UW_X86_SP, 8)}, {0x100, x86_rule(10, 16)}});
	world.pc(text).sp(stack).reg(10, stack + 32).word(stack, text + 0x110);
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_LOST_REGISTER);
	REQUIRE(walked.frames.size() == 2);
}

TEST_CASE("the same register is good in the topmost frame")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x200, {{0, x86_rule(10, 16)}});
	world.pc(text).sp(stack).reg(10, stack + 32).word(stack + 40, 0);
	REQUIRE(world.walk().stop == UW_STOP_ZERO_RA);
}

TEST_CASE("places in other registers need them too")
{
	uw_rule ra_in_reg = x86_rule(UW_X86_SP, 8);
	ra_in_reg.ra_place = UW_PLACE_REG_MEM;
	ra_in_reg.ra_reg = 3;
	ra_in_reg.ra_off = 0;
	uw_rule fp_in_reg = x86_rule(UW_X86_SP, 8);
	fp_in_reg.fp_place = UW_PLACE_REG_VAL;
	fp_in_reg.fp_reg = 3;
	for (const uw_rule& rule : {ra_in_reg, fp_in_reg}) {
		World world(UW_ARCH_X86_64);
		world.code(text, text + 0x100, {{0, rule}}).pc(text).sp(stack);
		world.word(stack, text + 1);
		REQUIRE(world.walk().stop == UW_STOP_LOST_REGISTER);
	}
}

TEST_CASE("an FP that a rule loses is not used")
{
	uw_rule loses = x86_rule(UW_X86_SP, 8);
	loses.fp_place = UW_PLACE_LOST;
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x200, {{0, loses}, {0x100, x86_rule(UW_X86_FP, 16)}});
	world.pc(text).sp(stack).fp(stack + 64).word(stack, text + 0x110);
	REQUIRE(world.walk().stop == UW_STOP_LOST_REGISTER);
	world.bare_code(text + 0x1000, text + 0x2000).word(stack, 0);
	World bare(UW_ARCH_X86_64);
	bare.code(text, text + 0x100, {{0, loses}}).bare_code(text + 0x1000, text + 0x2000);
	bare.pc(text).sp(stack).fp(stack + 64).word(stack, text + 0x1010);
	REQUIRE(bare.walk().stop == UW_STOP_NO_TABLE);
}

TEST_CASE("rules that mean nothing stop the walk")
{
	auto stop_of = [](auto change) {
		uw_rule rule = x86_rule(UW_X86_SP, 8);
		change(rule);
		World world(UW_ARCH_X86_64);
		world.code(text, text + 0x100, {{0, rule}}).pc(text).sp(stack).word(stack, text);
		return world.walk().stop;
	};
	REQUIRE(stop_of([](uw_rule& r) { r.kind = UW_NR_RULE_KINDS; }) == UW_STOP_BAD_RULE);
	REQUIRE(stop_of([](uw_rule& r) { r.ra_place = UW_PLACE_LOST; }) == UW_STOP_BAD_RULE);
	REQUIRE(stop_of([](uw_rule& r) { r.fp_place = UW_NR_PLACES; }) == UW_STOP_BAD_RULE);
	REQUIRE(stop_of([](uw_rule& r) { r.cfa_reg = 200; }) == UW_STOP_LOST_REGISTER);
	// Nothing was pushed, but x86 has no link register either.
	REQUIRE(stop_of([](uw_rule& r) { r.ra_place = UW_PLACE_SAME; }) == UW_STOP_BAD_RULE);
}

TEST_CASE("the table of a rule that means nothing is retired, and no other")
{
	uw_rule spoiled = x86_rule(UW_X86_SP, 8);
	spoiled.ra_place = UW_NR_PLACES;
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 8)}});
	world.code(text + 0x1000, text + 0x1100, {{0, spoiled}});
	world.pc(text).sp(stack).word(stack, text + 0x1000 + 0x10);
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_BAD_RULE);
	REQUIRE(walked.frames.size() == 2);
	REQUIRE(world.port.retired == 2);
	REQUIRE(world.port.retired_at == text + 0x1000 + 0xf);

	World sound(UW_ARCH_X86_64);
	sound.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 8)}}).pc(text).sp(stack).word(stack, 0);
	REQUIRE(sound.walk().stop == UW_STOP_ZERO_RA);
	REQUIRE(sound.port.retired == 0);
}

TEST_CASE("a CFA may be in memory")
{
	uw_rule rule = x86_rule(UW_X86_FP, -16, 0);
	rule.cfa_kind = UW_CFA_MEM;
	rule.cfa_add = -8;
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, rule}, {0x80, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack).fp(stack + 32).word(stack + 16, stack + 0x108);
	world.words(stack + 0xf8, {text + 0x90, 0x77});
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(sizes(walked) == std::vector<u32>{0x100, unknown});
	REQUIRE(walked.regs.r[UW_X86_FP] == 0x77);
}

TEST_CASE("values may be computed from a register or the CFA")
{
	uw_rule rule = x86_rule(UW_X86_SP, 16);
	rule.ra_place = UW_PLACE_REG_VAL;
	rule.ra_reg = 11;
	rule.ra_off = 1;
	rule.fp_place = UW_PLACE_CFA_VAL;
	rule.fp_off = -4;
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, rule}, {0x80, kind_rule(UW_RULE_OUTERMOST)}});
	Walked walked = world.pc(text).sp(stack).reg(11, text + 0x8f).walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.regs.r[UW_X86_FP] == stack + 12);
	REQUIRE(world.port.reads == 0);
}

TEST_CASE("a function that has popped its return address into a register has no frame")
{
	// As vfork() does: it may be the topmost one only.
	uw_rule popped = x86_rule(UW_X86_SP, 0);
	popped.ra_place = UW_PLACE_REG_VAL;
	popped.ra_reg = 5;
	popped.ra_off = 0;
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x200, {{0, popped}, {0x100, x86_rule(UW_X86_SP, 8)}});
	world.pc(text).sp(stack).reg(5, text + 0x110).word(stack, 0);
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_ZERO_RA);
	REQUIRE(sizes(walked) == std::vector<u32>{0, unknown});
	REQUIRE(world.word(stack, text + 0x10).reg(5, text + 0x10).walk().stop == UW_STOP_BACKWARDS);
}

TEST_CASE("as many frames as allowed, and one more, is a matter of depth")
{
	World world = x86_program();
	REQUIRE(world.walk(3).stop == UW_STOP_DEPTH);
	REQUIRE(world.walk(3).frames.size() == 3);
	REQUIRE(world.walk(0).stop == UW_STOP_DEPTH);
}

TEST_CASE("exactly as many frames as allowed is not")
{
	REQUIRE(x86_program().walk(4).stop == UW_STOP_OUTERMOST);
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 8)}}).pc(text).sp(stack);
	REQUIRE(world.word(stack, 0).walk(1).stop == UW_STOP_ZERO_RA);
}

TEST_CASE("a frame of 4 GiB and more has no size that could be told")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_FP, 16)}, {0x80, kind_rule(UW_RULE_OUTERMOST)}});
	u64 far = stack + (1ull << 32);
	Walked walked = world.pc(text).sp(stack).fp(far).word(far + 8, text + 0x90).walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames[0].stack_bytes == unknown);
}

TEST_CASE("a return address that a probe has replaced stands for the one that the port knows")
{
	World world = x86_program();
	world.port.trampoline = text + 0x110;
	world.port.watched = text + 0x118;
	Walked walked = world.walk();
	CHECK(walked.stop == UW_STOP_OUTERMOST);
	CHECK(offsets(walked) == std::vector<u64>{0x10, 0x118, 0x210, 0x310});
	world.port.watched = 0;
	CHECK(world.walk().stop == UW_STOP_ZERO_RA);
}
