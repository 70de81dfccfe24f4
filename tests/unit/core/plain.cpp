// SPDX-License-Identifier: GPL-2.0
// Plain steps are remembered, and only for what they are true of. That they find the same is asked of every walk
// (remembered.h).
#include <catch2/catch.hpp>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 high_stack = 0x7ffe00000000;
constexpr u32 depth = 100;

// Frames of 32 bytes, each in a function of its own, and the outermost one, with a word above its SP.
World deep(uw_arch arch, s32 frame_bytes = 32, u64 stack = high_stack)
{
	const u8 sp = uw_arch_sp(arch);
	uw_rule rule = x86_rule(sp, frame_bytes);
	World world(arch);
	world.code(text, text + 0x8000, {{0, rule}, {0x7000, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack);
	for (u32 i = 1; i <= depth; i++)
		world.words(stack + 32 * (i - 1), {0, 0, 0, i < depth ? text + 16 * i : text + 0x7010});
	world.words(stack + 32 * depth, {0});
	world.memory = std::make_shared<Memory>();
	world.port.key = 7;
	return world;
}

// How much the walk asked for, but what plain steps have read: rules, and words of other steps.
u32 asked(World& world)
{
	REQUIRE(world.walk(256).stop == UW_STOP_OUTERMOST);
	return world.port.asked;
}

} // namespace

TEST_CASE("a walk looks up no rule that an earlier one has found")
{
	for (uw_arch arch : {UW_ARCH_X86_64, UW_ARCH_ARM64}) {
		World world = deep(arch);
		const u32 cold = asked(world), warm = asked(world);
		REQUIRE(cold == depth + 1); // a rule for each frame
		REQUIRE(warm == 0);
		REQUIRE(world.walk(256).frames.size() == depth + 1);
	}
}

TEST_CASE("nothing is remembered without a key, and nothing of another key is used")
{
	World world = deep(UW_ARCH_X86_64);
	world.port.key = 0;
	for (int i = 0; i < 2; i++)
		REQUIRE(asked(world) == 2 * depth + 1); // and a word of each that has a caller
	for (u32 key : {7, 8}) {
		world.port.key = key;
		REQUIRE(asked(world) == depth + 1);
		REQUIRE(asked(world) == 0);
	}
}

TEST_CASE("what is remembered of a table is not used under the key of the next one")
{
	World world = deep(UW_ARCH_X86_64), next = deep(UW_ARCH_X86_64, 64);
	asked(world);
	next.memory = world.memory;
	next.port.key = 7;
	REQUIRE_THROWS_AS(next.walk(256), std::logic_error); // so the comparison sees it
	next.port.key = 8;
	REQUIRE(next.walk(256).frames.at(1).stack_bytes == 64);
}

TEST_CASE("an exact pc and the same return address are remembered apart")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 16)}, {0x10, x86_rule(UW_X86_SP, 32)}});
	world.pc(text + 0x10).sp(high_stack).words(high_stack, {0, 0, 0, text + 0x10, 0, 0});
	world.memory = std::make_shared<Memory>();
	world.port.key = 7;
	for (int i = 0; i < 2; i++) {
		const auto frames = world.walk().frames;
		REQUIRE(frames.at(0).stack_bytes == 32);
		REQUIRE(frames.at(0).offset == 0x10);
		REQUIRE(frames.size() == 2);
	}
}

TEST_CASE("plain steps miss no look at the world, and end where the frames do")
{
	World world = deep(UW_ARCH_X86_64);
	asked(world);
	asked(world);
	REQUIRE(world.port.rests == depth / 64);
	for (u32 most : {1u, 31u, 32u, 33u, 64u, 100u})
		REQUIRE(world.walk(most).frames.size() == most);
	world.port.killed_at = 1;
	REQUIRE(world.walk(256).stop == UW_STOP_KILLED);
	REQUIRE(world.walk(256).frames.size() == 64);
}

TEST_CASE("a stack whose mapping begins so low that a step could reach below address 0 is walked by general steps")
{
	World low = deep(UW_ARCH_X86_64, 32, UW_PLAIN_REACH - 8), high = deep(UW_ARCH_X86_64, 32, UW_PLAIN_REACH);
	for (int i = 0; i < 2; i++)
		REQUIRE(asked(low) == 2 * depth + 1); // as if nothing were remembered
	asked(high);
	REQUIRE(asked(high) == 0);
}
