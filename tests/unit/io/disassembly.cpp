// SPDX-License-Identifier: GPL-2.0
// Machine code as assembly, as objdump writes the same bytes.
#include <catch2/catch.hpp>

#include "io/disassembly.h"

using namespace uwind;

namespace {

constexpr std::uint64_t address = 0xffffffff81000000;

std::vector<std::string> texts(Arch arch, const std::vector<std::uint8_t>& code)
{
	std::vector<std::string> found;
	for (const Instruction& one : disassemble(arch, code, address))
		found.push_back(one.text);
	return found;
}

} // namespace

TEST_CASE("instructions of x86 are in AT&T's syntax, with where calls and jumps lead")
{
	CHECK(texts(Arch::x86_64, {0x0f, 0x1f, 0x44, 0x00, 0x00, 0x55, 0x48, 0x89, 0xe5, 0xcc}) ==
	      std::vector<std::string>{"nopl (%rax, %rax)", "pushq %rbp", "movq %rsp, %rbp", "int3"});
	const std::vector<std::uint8_t> call{0xe8, 0xfb, 0x0f, 0x00, 0x00};
	const auto found = disassemble(Arch::x86_64, call, address);
	REQUIRE(found.size() == 1);
	CHECK(found[0].target == address + 0x1000);
	const std::vector<std::uint8_t> jump{0xeb, 0xfe};
	CHECK(disassemble(Arch::x86_64, jump, address)[0].target == address);
	const std::vector<std::uint8_t> by_register{0xff, 0xe0};
	CHECK_FALSE(disassemble(Arch::x86_64, by_register, address)[0].target);
}

TEST_CASE("instructions of arm64, with where branches lead")
{
	CHECK(texts(Arch::arm64, {0x1f, 0x20, 0x03, 0xd5, 0xe9, 0x03, 0x1e, 0xaa, 0x80, 0x00, 0x20, 0xd4}) ==
	      std::vector<std::string>{"nop", "mov x9, x30", "brk #0x4"});
	const std::vector<std::uint8_t> branch{0x00, 0x04, 0x00, 0x94}; // bl +0x1000
	const auto found = disassemble(Arch::arm64, branch, address);
	REQUIRE(found.size() == 1);
	CHECK(found[0].target == address + 0x1000);
}

TEST_CASE("what is no instruction, or is cut short, is data, and nothing is left out")
{
	CHECK(texts(Arch::x86_64, {0x0f, 0x1f, 0x44}) ==
	      std::vector<std::string>{".byte 0xf", ".byte 0x1f", ".byte 0x44"});
	CHECK(texts(Arch::arm64, {0xff, 0xff, 0xff, 0xff, 0x1f}) ==
	      std::vector<std::string>{".word 0xffffffff", ".byte 0x1f"});
	CHECK(texts(Arch::x86_64, {}).empty());
}
