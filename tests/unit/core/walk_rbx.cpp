// SPDX-License-Identifier: GPL-2.0
// RBX on x86-64: the dynamic linker's resolver counts its CFA from it, so that a
// walk must find it where inner functions have saved it.
#include <catch2/catch.hpp>

#include "unit/core/world.h"

using namespace core;

namespace {

constexpr u64 text = 0x400000;
constexpr u64 stack = 0x7ffe00000000;
constexpr u64 resolver_rbx = stack + 0x100;

uw_rule saving(s32 cfa_off, u8 base_slot)
{
	uw_rule rule = x86_rule(UW_X86_SP, cfa_off);
	rule.base_slot = base_slot;
	return rule;
}

// A leaf, called by a function that saves RBX (or not), called by the resolver,
// called by the outermost function.
struct LazyBinding {
	World world{UW_ARCH_X86_64};

	explicit LazyBinding(u8 base_slot);
};

LazyBinding::LazyBinding(u8 base_slot)
{
	world.code(text, text + 0x1000,
		   {{0x000, x86_rule(UW_X86_SP, 8)},
		    {0x100, saving(24, base_slot)},
		    {0x200, x86_rule(UW_X86_BX, 24)},
		    {0x300, kind_rule(UW_RULE_OUTERMOST)}});
	world.pc(text).sp(stack).words(stack, {text + 0x110, resolver_rbx, text + 0x999, text + 0x210});
	world.word(resolver_rbx + 16, text + 0x310);
}

u32 reads_of(World& world)
{
	world.walk();
	return world.port.reads;
}

} // namespace

TEST_CASE("a CFA counted from RBX is found where an inner function saved it")
{
	Walked walked = LazyBinding(3).world.walk();
	REQUIRE(walked.stop == UW_STOP_OUTERMOST);
	REQUIRE(walked.frames.size() == 4);
	REQUIRE(walked.frames[3].offset == 0x310);
	REQUIRE(walked.frames[2].stack_bytes == resolver_rbx + 24 - (stack + 32));
}

TEST_CASE("RBX that no inner function saved is still in its register")
{
	REQUIRE(LazyBinding(0).world.reg(UW_X86_BX, resolver_rbx).walk().stop == UW_STOP_OUTERMOST);
}

TEST_CASE("a walk that ends before RBX is needed knows where it is saved")
{
	Walked walked = LazyBinding(3).world.walk(2);
	REQUIRE(walked.stop == UW_STOP_DEPTH);
	REQUIRE((walked.regs.known & walked.regs.on_stack) >> UW_X86_BX & 1);
	REQUIRE(walked.regs.r[UW_X86_BX] == stack + 8);
}

TEST_CASE("RBX that is lost stops the walk where it is needed")
{
	REQUIRE(LazyBinding(0).world.walk().stop == UW_STOP_LOST_REGISTER);
	Walked walked = LazyBinding(UW_BASE_LOST).world.reg(UW_X86_BX, resolver_rbx).walk();
	REQUIRE(walked.stop == UW_STOP_LOST_REGISTER);
	REQUIRE(walked.frames.size() == 3);
}

TEST_CASE("a frame pointer step says nothing of RBX")
{
	World world(UW_ARCH_X86_64);
	world.bare_code(text, text + 0x100);
	world.code(text + 0x100, text + 0x200, {{0, x86_rule(UW_X86_BX, 24)}});
	world.pc(text).sp(stack).fp(stack).reg(UW_X86_BX, resolver_rbx).words(stack, {0, text + 0x110});
	REQUIRE(world.walk().stop == UW_STOP_LOST_REGISTER);
}

TEST_CASE("saved RBX is read only when it is needed, and its read may fail")
{
	LazyBinding binding(3);
	World& world = binding.world;
	REQUIRE(reads_of(world) == 4); // three return addresses and RBX
	world.port.fail_with = -EFAULT;
	for (world.port.fail_at = 1; world.port.fail_at <= 4; world.port.fail_at++)
		REQUIRE(world.walk().stop == UW_STOP_BAD_READ);
}

TEST_CASE("a signal frame brings RBX back into its register")
{
	World world(UW_ARCH_X86_64);
	world.code(text, text + 0x300,
		   {{0x000, kind_rule(UW_RULE_SIGFRAME)},
		    {0x100, x86_rule(UW_X86_BX, 24)},
		    {0x200, kind_rule(UW_RULE_OUTERMOST)}});
	std::vector<u64> context(22);
	context[5 + 11] = resolver_rbx; // rbx is the 12th general register of a ucontext, which begin at 40
	context[5 + 15] = stack + 0x80;
	context[5 + 16] = text + 0x110;
	world.pc(text).sp(stack).words(stack, context).word(resolver_rbx + 16, text + 0x210);
	REQUIRE(world.walk().stop == UW_STOP_OUTERMOST);
}
