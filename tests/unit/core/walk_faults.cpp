// SPDX-License-Identifier: GPL-2.0
// Every read of several walks fails once, in every way it can.
#include <catch2/catch.hpp>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe00000000;

World table_walk()
{
	World world(UW_ARCH_X86_64);
	uw_rule drap = x86_rule(UW_X86_FP, -8, 0);
	drap.cfa_kind = UW_CFA_MEM;
	world.code(text, text + 0x1000, {{0, x86_rule(UW_X86_SP, 16, -16)}, {0x100, drap}});
	world.pc(text).sp(stack).words(stack, {stack + 64, text + 0x110});
	world.word(stack + 56, stack + 128).words(stack + 64, {0, 0}).word(stack + 120, text + 0x10);
	world.words(stack + 128, {0, 0});
	return world;
}

World frame_pointer_walk(uw_arch arch)
{
	World world(arch);
	world.bare_code(text, text + 0x1000).pc(text).sp(stack).fp(stack);
	for (u64 frame = 0; frame < 5; frame++)
		world.words(stack + 32 * frame, {stack + 32 * (frame + 1), text + 8});
	world.words(stack + 160, {0, text + 8});
	return world;
}

World signal_walk(uw_arch arch)
{
	const u64 first = stack + (arch == UW_ARCH_ARM64 ? 312 : 40);
	const u64 pc_at = stack + (arch == UW_ARCH_ARM64 ? 568 : 0xa8);
	World world(arch);
	world.code(text, text + 0x1000, {{0, kind_rule(UW_RULE_SIGFRAME)}});
	world.bare_code(text + 0x1000, text + 0x2000).pc(text).sp(stack);
	for (u64 at = first; at < pc_at; at += 8)
		world.word(at, stack + 0x800); // SP and FP among them
	world.word(pc_at, text + 0x1010);
	world.words(stack + 0x800, {stack + 0x900, text + 0x1020});
	world.words(stack + 0x900, {0, text + 0x1030});
	return world;
}

void fail_every_read(World world, u32 min_reads)
{
	const std::pair<int, uw_stop> reasons[] = {
		{-EFAULT, UW_STOP_BAD_READ}, {-EACCES, UW_STOP_REFUSED_READ}, {-EINTR, UW_STOP_KILLED}};
	world.port.fail_at = 0;
	Walked whole = world.walk();
	const u32 reads = world.port.reads;
	REQUIRE(reads >= min_reads);
	for (auto [err, stop] : reasons) {
		for (u32 at = 1; at <= reads; at++) {
			world.port.fail_at = at;
			world.port.fail_with = err;
			Walked cut = world.walk();
			REQUIRE(world.port.reads == at); // reached, and nothing read after it
			REQUIRE(cut.stop == stop);
			REQUIRE(cut.frames.size() <= whole.frames.size());
			REQUIRE(cut.frames.back().stack_bytes == UW_STACK_BYTES_UNKNOWN);
			for (std::size_t i = 0; i < cut.frames.size(); i++)
				REQUIRE(cut.frames[i].pc == whole.frames[i].pc);
		}
	}
}

// Refused at any question, a walk shows what it knew until then.
void refuse_every_question(World world, u32 min_questions)
{
	world.port.busy_at = 0;
	const Walked whole = world.walk();
	const u32 questions = world.port.asked;
	REQUIRE(questions >= min_questions);
	for (u32 at = 1; at <= questions; at++) {
		world.port.busy_at = at;
		const Walked cut = world.walk();
		REQUIRE(cut.stop == UW_STOP_BUSY);
		REQUIRE(!cut.frames.empty());
		REQUIRE(cut.frames.size() <= whole.frames.size());
		for (std::size_t i = 0; i < cut.frames.size(); i++)
			REQUIRE(cut.frames[i].pc == whole.frames[i].pc);
	}
}

// 4,096 frames of a function that calls itself.
World deep_walk()
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x100, {{0, x86_rule(UW_X86_SP, 8)}}).pc(text).sp(stack);
	world.words(stack, std::vector<u64>(4096, text + 0x10));
	return world;
}

} // namespace

TEST_CASE("a fault at any read of a walk by rows ends it there")
{
	fail_every_read(table_walk(), 5);
}

TEST_CASE("a fault at any read of a walk by frame pointers ends it there")
{
	fail_every_read(frame_pointer_walk(UW_ARCH_X86_64), 12);
	fail_every_read(frame_pointer_walk(UW_ARCH_ARM64), 12);
}

TEST_CASE("a fault at any read of a signal frame ends the walk there")
{
	fail_every_read(signal_walk(UW_ARCH_X86_64), 17 + 4);
	fail_every_read(signal_walk(UW_ARCH_ARM64), 33 + 4);
}

TEST_CASE(
	"a walk that cannot be told something, as the memory map changes all the time, ends there and guesses nothing")
{
	refuse_every_question(table_walk(), 8);
	refuse_every_question(signal_walk(UW_ARCH_X86_64), 24);
	refuse_every_question(signal_walk(UW_ARCH_ARM64), 40);
	for (const uw_arch arch : {UW_ARCH_X86_64, UW_ARCH_ARM64})
		refuse_every_question(frame_pointer_walk(arch), 18);
}

TEST_CASE("a long walk lets others run, each time after so many frames that a processor is never held for long")
{
	World world = deep_walk();
	REQUIRE(world.walk(4096).stop == UW_STOP_DEPTH);
	REQUIRE(world.port.rests == 4096 / 64);
}

TEST_CASE("a long walk of a task that is killed ends at the next rest")
{
	World world = deep_walk();
	world.port.killed_at = 3;
	const Walked cut = world.walk(4096);
	REQUIRE(cut.stop == UW_STOP_KILLED);
	REQUIRE(cut.frames.size() == 3 * 64);
}
