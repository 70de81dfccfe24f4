// SPDX-License-Identifier: GPL-2.0
// The walk through code without rows, by frame pointers.
#include <catch2/catch.hpp>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe00000000;

// Two frames by frame pointer; the second one's FP is what the test wants.
World chain(u64 last_fp, u64 last_ra = text + 0x30, uw_arch arch = UW_ARCH_X86_64)
{
	World world(arch);
	world.bare_code(text, text + 0x1000).pc(text + 0x10).sp(stack).fp(stack + 16);
	world.words(stack + 16, {stack + 64, text + 0x20});
	world.words(stack + 64, {last_fp, last_ra});
	return world;
}

// The first step, from code where FP may be anything.
World guess(u64 fp)
{
	World world(UW_ARCH_X86_64);
	world.bare_code(text, text + 0x1000).pc(text + 0x10).sp(stack).fp(fp);
	return world;
}

} // namespace

TEST_CASE("frame pointers are followed to the end of their chain")
{
	Walked walked = chain(0).walk();
	REQUIRE(walked.stop == UW_STOP_ZERO_FP);
	REQUIRE(walked.frames.size() == 3);
	REQUIRE(walked.frames[0].stack_bytes == 32);
	REQUIRE(walked.frames[1].stack_bytes == 48);
	REQUIRE(walked.frames[2].method == UW_METHOD_FP);
	REQUIRE(walked.frames[2].offset == 0x30);
}

TEST_CASE("a broken chain of frame pointers says what broke")
{
	REQUIRE(chain(stack + 24).walk().stop == UW_STOP_BACKWARDS);
	REQUIRE(chain(stack + 64).walk().stop == UW_STOP_BACKWARDS);
	REQUIRE(chain(stack + 101).walk().stop == UW_STOP_MISALIGNED);
	REQUIRE(chain(stack + 128).walk().stop == UW_STOP_BAD_READ);
	REQUIRE(chain(~7ull).walk().stop == UW_STOP_BACKWARDS);
	REQUIRE(chain(stack + 96).words(stack + 96, {0, 0}).walk().stop == UW_STOP_ZERO_RA);
	REQUIRE(chain(0, 0x1234).walk().stop == UW_STOP_BAD_PC);
}

TEST_CASE("zeros behind the first step of a chain end no stack")
{
	REQUIRE(chain(0, 0).walk().stop == UW_STOP_NO_TABLE);
	REQUIRE(guess(stack + 64).words(stack + 64, {0, text + 0x20}).walk().stop == UW_STOP_NO_TABLE);
}

TEST_CASE("a chain of frame pointers that leads down to another stack says so")
{
	World world = chain(stack - 4096);
	world.word(stack - 4096, 0);
	REQUIRE(world.walk().stop == UW_STOP_BACKWARDS);
	world.port.stack_start = stack;
	REQUIRE(world.walk().stop == UW_STOP_STACK_SWITCH);
	World unmapped = chain(stack - 4096);
	unmapped.port.stack_start = stack;
	REQUIRE(unmapped.walk().stop == UW_STOP_BACKWARDS);
	World guessed = guess(stack - 4096);
	guessed.port.stack_start = stack;
	REQUIRE(guessed.word(stack - 4096, 0).walk().stop == UW_STOP_NO_TABLE);
}

TEST_CASE("a first frame pointer that is none means that a table is missing")
{
	REQUIRE(guess(0).walk().stop == UW_STOP_NO_TABLE);
	REQUIRE(guess(stack - 8).walk().stop == UW_STOP_NO_TABLE);
	REQUIRE(guess(stack + 4).walk().stop == UW_STOP_NO_TABLE);
	REQUIRE(guess(~7ull).walk().stop == UW_STOP_NO_TABLE);
	REQUIRE(guess(stack + (64 << 20)).walk().stop == UW_STOP_NO_TABLE);
	REQUIRE(guess(stack + 64).word(stack + 72, 0).word(stack + 64, 0).walk().stop == UW_STOP_NO_TABLE);
	REQUIRE(guess(stack + 64).words(stack + 64, {0, 0x1234}).walk().stop == UW_STOP_NO_TABLE);
	World lost = guess(stack + 64);
	REQUIRE(lost.forget(UW_X86_FP).walk().stop == UW_STOP_NO_TABLE);
}

TEST_CASE("a first frame pointer near SP that cannot be read is a bad read")
{
	REQUIRE(guess(stack + 64).walk().stop == UW_STOP_BAD_READ);
	World world = guess(stack + 64);
	world.port.fail_at = 1;
	world.port.fail_with = -EACCES;
	REQUIRE(world.walk().stop == UW_STOP_REFUSED_READ);
	world.port.fail_with = -EINTR;
	REQUIRE(world.walk().stop == UW_STOP_KILLED);
}

TEST_CASE("frame pointers lead back into code that has rows")
{
	World world(UW_ARCH_X86_64);
	world.bare_code(text, text + 0x1000);
	world.code(text + 0x1000, text + 0x2000, {{0, x86_rule(UW_X86_SP, 16)}, {0x100, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack).fp(stack + 16);
	world.words(stack + 16, {0, text + 0x1010, 0, text + 0x1110});
	Walked walked = world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames[1].method == UW_METHOD_FP);
	REQUIRE(walked.frames[2].method == UW_METHOD_EH_FRAME);
	REQUIRE(walked.frames[1].stack_bytes == 16);
}

TEST_CASE("FP of 0 after a row does not complete a stack")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 8)}});
	world.bare_code(text + 0x1000, text + 0x2000);
	world.pc(text).sp(stack).fp(0).word(stack, text + 0x1010);
	REQUIRE(world.walk().stop == UW_STOP_NO_TABLE);
}

namespace {

// A chain of one record leads into code with rows; that returns to return_to.
World chain_into_rows(u64 fp, u64 return_to)
{
	World world(UW_ARCH_X86_64);
	world.bare_code(text, text + 0x1000);
	world.code(text + 0x1000, text + 0x2000, {{0, x86_rule(UW_X86_SP, 16)}});
	world.pc(text).sp(stack).fp(stack + 16);
	world.words(stack + 16, {fp, text + 0x1010, 0, return_to});
	return world;
}

} // namespace

TEST_CASE("a chain of frame pointers ends where code has rows: what follows is a guess again")
{
	Walked walked = chain_into_rows(0, text + 0x10).walk();
	REQUIRE(walked.frames.size() == 3);
	REQUIRE(walked.stop == UW_STOP_NO_TABLE);
}

TEST_CASE("a row vouches for the return address that it leads to, after a guess too")
{
	REQUIRE(chain_into_rows(0, 0x1234).walk().stop == UW_STOP_BAD_PC);
}

TEST_CASE("behind a single guess a row is not believed that a stack ends, as it may be a forgotten frame's")
{
	REQUIRE(chain_into_rows(0, 0).walk().stop == UW_STOP_NO_TABLE);
}

TEST_CASE("behind a chain of two records a row is believed that a stack ends")
{
	World world(UW_ARCH_X86_64);
	world.bare_code(text, text + 0x1000);
	world.code(text + 0x1000, text + 0x2000, {{0, x86_rule(UW_X86_SP, 16)}});
	world.pc(text).sp(stack).fp(stack + 16);
	world.words(stack + 16, {stack + 48, text + 0x20, 0, 0, 0, text + 0x1010, 0, 0});
	REQUIRE(world.walk().stop == UW_STOP_ZERO_RA);
}

TEST_CASE("after an arm64 frame record nobody knows how large the frame is")
{
	Walked walked = chain(0, text + 0x30, UW_ARCH_ARM64).walk();
	REQUIRE(walked.stop == UW_STOP_ZERO_FP);
	REQUIRE(walked.frames.size() == 3);
	for (const uw_frame& frame : walked.frames)
		REQUIRE(frame.stack_bytes == UW_STACK_BYTES_UNKNOWN);
}

namespace {

// A record leads from bare code to a function that has this row.
World arm64_after_record(const uw_rule& rule)
{
	World world(UW_ARCH_ARM64);
	world.bare_code(text, text + 0x1000);
	world.code(text + 0x1000, text + 0x2000, {{0, rule}, {0x100, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack).fp(stack + 16);
	world.words(stack + 16, {stack + 0x80, text + 0x1010}); // bare code's record
	world.words(stack + 0x80, {0x55, text + 0x1110});       // the caller's
	return world;
}

} // namespace

TEST_CASE("on arm64 a row that saves FP and LR together is applied through FP when SP is lost")
{
	// sp + 96 is the CFA, but SP is not what the record's end suggests.
	Walked walked = arm64_after_record(arm64_rule(UW_ARM64_SP, 96, -88, -96)).walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.regs.r[UW_ARM64_SP] == stack + 0x80 + 96);
	REQUIRE(walked.regs.r[UW_ARM64_FP] == 0x55);
	REQUIRE(walked.frames[1].stack_bytes == UW_STACK_BYTES_UNKNOWN);
}

TEST_CASE("on arm64 other rows relative to a lost SP stop the walk")
{
	REQUIRE(arm64_after_record(arm64_leaf(16)).walk().stop == UW_STOP_LOST_REGISTER);
	REQUIRE(arm64_after_record(arm64_rule(UW_ARM64_SP, 16, -8)).walk().stop == UW_STOP_LOST_REGISTER);
	REQUIRE(arm64_after_record(arm64_rule(UW_ARM64_SP, 96, -80, -96)).walk().stop == UW_STOP_LOST_REGISTER);
	uw_rule in_memory = arm64_rule(UW_ARM64_SP, 96, -88, -96);
	in_memory.cfa_kind = UW_CFA_MEM;
	REQUIRE(arm64_after_record(in_memory).walk().stop == UW_STOP_LOST_REGISTER);
}

TEST_CASE("a lost SP still bounds the stack from below")
{
	World world = arm64_after_record(arm64_rule(UW_ARM64_FP, 16, -8, -16));
	world.words(stack + 16, {stack + 8, text + 0x1010}); // shadowed: first slice wins
	REQUIRE(world.walk().stop == UW_STOP_OUTERMOST);
	World down(UW_ARCH_ARM64);
	down.bare_code(text, text + 0x1000);
	down.code(text + 0x1000, text + 0x2000, {{0, arm64_rule(UW_ARM64_FP, 16, -8, -16)}});
	down.pc(text).sp(stack).fp(stack + 16).words(stack, {0, text + 0x1010, stack, text + 0x1010});
	REQUIRE(down.walk().stop == UW_STOP_BACKWARDS);
}
