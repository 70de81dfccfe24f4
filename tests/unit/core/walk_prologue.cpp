// SPDX-License-Identifier: GPL-2.0
// Code without rows that sets up a frame pointer: its first instructions, and its return.
#include "unit/core/world.h"

#include <catch2/catch.hpp>

using namespace core;

namespace {

constexpr u64 text = 0x400000, pc = text + 0x20, caller = text + 0x100, outer = text + 0x200;
constexpr u64 stack = 0x7ffe0000, record = stack + 64;

// Code at pc, and the bytes before it, in a world where the frame pointer is the caller's.
World at(uw_arch arch, const std::vector<u8>& before, const std::vector<u8>& code)
{
	constexpr std::size_t window = 8;
	std::vector<u8> bytes(window, 0x90);
	std::copy(before.begin(), before.end(), bytes.end() - static_cast<std::ptrdiff_t>(before.size()));
	bytes.insert(bytes.end(), code.begin(), code.end());
	bytes.resize(2 * window, 0x90);
	const std::size_t word = uw_abis[arch].word;
	World world(arch);
	world.bare_code(text, text + 0x1000).pc(pc).sp(stack).fp(record);
	for (std::size_t i = 0; i < bytes.size(); i += word) {
		u64 value = 0;
		std::memcpy(&value, bytes.data() + i, word);
		world.word(pc - window + i, value);
	}
	return world;
}

World x86(uw_arch arch, const std::vector<u8>& before, const std::vector<u8>& code)
{
	World world = at(arch, before, code);
	world.words(record, {record + 64, outer}).words(record + 64, {0, 0x10});
	return world;
}

// Return addresses, innermost first.
std::vector<u64> callers(World& world)
{
	std::vector<u64> result;
	for (const uw_frame& frame : world.walk().frames)
		result.push_back(frame.pc);
	result.erase(result.begin());
	return result;
}

const std::vector<u64> whole = {caller, outer}, without_caller = {outer};
const std::vector<u8> push = {0x55}, mov = {0x48, 0x89, 0xe5}, other_mov = {0x48, 0x8b, 0xec};
const std::vector<u8> endbr = {0xf3, 0x0f, 0x1e, 0xfa};

std::vector<u8> operator+(std::vector<u8> a, const std::vector<u8>& b)
{
	a.insert(a.end(), b.begin(), b.end());
	return a;
}

} // namespace

TEST_CASE("x86 code that is about to set up its frame was called from the address at SP")
{
	for (const auto& code : {push + mov, push + other_mov, endbr + push + mov, std::vector<u8>{0xc3},
				 std::vector<u8>{0xf3, 0xc3}, std::vector<u8>{0xc2, 8, 0}}) {
		World world = x86(UW_ARCH_X86_64, {}, code);
		CHECK(callers(world.word(stack, caller)) == whole);
		CHECK(world.walk().frames[1].method == UW_METHOD_SYNTH);
		CHECK(world.walk().frames[0].stack_bytes == 8);
	}
}

TEST_CASE("x86 code that has pushed the frame pointer was called from the address above it")
{
	for (const auto& code : {mov, other_mov}) {
		World world = x86(UW_ARCH_X86_64, push, code);
		CHECK(callers(world.words(stack, {record, caller})) == whole);
		CHECK(world.walk().frames[0].stack_bytes == 16);
	}
}

TEST_CASE("i386 code tells the same without prefixes")
{
	const std::vector<u8> mov32 = {0x89, 0xe5}, endbr32 = {0xf3, 0x0f, 0x1e, 0xfb};
	for (const auto& code : {push + mov32, endbr32 + push + mov32, std::vector<u8>{0xc3}}) {
		World world = x86(UW_ARCH_I386, {}, code);
		CHECK(callers(world.word(stack, caller)) == whole);
	}
	World pushed = x86(UW_ARCH_I386, push, mov32);
	CHECK(callers(pushed.words(stack, {record, caller})) == whole);
	World other = x86(UW_ARCH_I386, {}, endbr + push + mov32);
	CHECK(callers(other.word(stack, caller)) == without_caller);
}

TEST_CASE("x86 code that says nothing is left by the frame pointer")
{
	for (const auto& code : {std::vector<u8>{0x90}, push, mov, push + std::vector<u8>{0x90} + mov, endbr}) {
		World world = x86(UW_ARCH_X86_64, {}, code);
		CHECK(callers(world.words(stack, {caller, caller})) == without_caller);
	}
	World blind(UW_ARCH_X86_64);
	blind.bare_code(text, text + 0x1000).pc(pc).sp(stack).fp(record).words(record, {record + 64, outer});
	CHECK(callers(blind) == without_caller);
}

TEST_CASE("what the code says is asked of an exact pc only")
{
	World world = x86(UW_ARCH_X86_64, {}, {0x90});
	world.word(record + 8, pc).word(pc, 0xc3).words(stack, {caller, caller});
	CHECK(callers(world).at(0) == outer);
}

namespace {

std::vector<u8> words(std::initializer_list<u32> values)
{
	std::vector<u8> bytes(values.size() * 4);
	std::memcpy(bytes.data(), std::data(values), bytes.size());
	return bytes;
}

constexpr u32 stp = 0xa9be7bfd, mov_fp = 0x910003fd, bti = 0xd503245f,
	      paciasp = 0xd503233f; // stp x29, x30, [sp, #-32]!

World arm64(const std::vector<u8>& before, const std::vector<u8>& code)
{
	World world = at(UW_ARCH_ARM64, before, code);
	world.words(record, {record + 64, outer}).words(record + 64, {0, 0x10}).reg(UW_ARM64_LR, caller);
	return world;
}

} // namespace

TEST_CASE("arm64 code that is about to save its record was called from the link register's address")
{
	for (const auto& code : {words({stp, mov_fp}), words({bti, stp}), words({paciasp, stp}), words({0xd65f03c0}),
				 words({0xd65f0bff}), words({0xd65f0fff})}) {
		World world = arm64({}, code);
		CHECK(callers(world) == whole);
		CHECK(world.walk().frames[1].method == UW_METHOD_LR);
	}
}

TEST_CASE("arm64 code that has saved its record was called from the address in it")
{
	World world = arm64(words({stp}), words({mov_fp}));
	world.words(stack, {record, caller}).reg(UW_ARM64_LR, 0);
	CHECK(callers(world) == whole);
	CHECK(world.walk().frames[0].stack_bytes == 32);
}

TEST_CASE("arm64 code that says nothing is left by the frame pointer")
{
	for (const auto& code :
	     {words({0xd503201f}), words({mov_fp}), words({bti}), words({0xa9017bfd}), words({0xa9be7bf3})}) {
		World world = arm64({}, code);
		CHECK(callers(world) == without_caller);
	}
}
