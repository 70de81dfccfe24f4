// SPDX-License-Identifier: GPL-2.0
// Calls of code with rows, as far as they lead into gaps.
#include <catch2/catch.hpp>

#include "tables/code/x86/calls.h"

using uwind::AddressRange;
using uwind::AddressRanges;
using uwind::Arch;

namespace {

// The targets, of code at 0x1000 and file offset 0x400 whose rows begin at these places in it.
std::vector<std::uint64_t> targets(const std::vector<std::uint8_t>& code, const std::vector<std::uint32_t>& rows,
				   const std::vector<AddressRange>& gaps, Arch arch = Arch::x86_64)
{
	uwind::TableRows table;
	std::vector<uwind::CodeFunction> functions;
	std::vector<std::uint64_t> addresses;
	for (const std::uint32_t row : rows)
		table.rows.push_back({0x400 + row, 0});
	find_calls_x86({code, 0x1000, 0x400}, table, arch, AddressRanges(gaps), functions);
	for (const uwind::CodeFunction& function : functions) {
		CHECK_FALSE(function.certain);
		addresses.push_back(function.start);
	}
	return addresses;
}

const std::vector<AddressRange> gaps{{0x1100, 0x1110}, {0x1200, 0x1201}};

} // namespace

TEST_CASE("a call into a gap is found, before it and behind it none")
{
	CHECK(targets({0xe8, 0xfb, 0x00, 0x00, 0x00}, {0}, gaps) == std::vector<std::uint64_t>{0x1100});
	CHECK(targets({0x90, 0xe8, 0x09, 0x01, 0x00, 0x00}, {0}, gaps) == std::vector<std::uint64_t>{0x110f});
	CHECK(targets({0xe8, 0xfb, 0x01, 0x00, 0x00}, {0}, gaps) == std::vector<std::uint64_t>{0x1200});
	CHECK(targets({0xe8, 0xfa, 0x00, 0x00, 0x00}, {0}, gaps).empty());
	CHECK(targets({0xe8, 0x0b, 0x01, 0x00, 0x00}, {0}, gaps).empty());
	CHECK(targets({0xe8, 0xf6, 0xff, 0xff, 0xff}, {0}, {{0xffb, 0xffc}}) == std::vector<std::uint64_t>{0xffb});
}

TEST_CASE("what looks like a call within another instruction is none")
{
	// mov $0xfae8, %eax; add %al, (%rax); nop; call
	const std::vector<std::uint8_t> code{0xb8, 0xe8, 0xfa, 0x00, 0x00, 0x00, 0x00,
					     0x90, 0xe8, 0xf3, 0x00, 0x00, 0x00};
	CHECK(targets(code, {0}, gaps) == std::vector<std::uint64_t>{0x1100});
	CHECK(targets(code, {0, 7}, gaps) == std::vector<std::uint64_t>{0x1100});
	CHECK(targets(code, {0, 7}, gaps, Arch::i386) == std::vector<std::uint64_t>{0x1100});
	// A row begins there: it is one.
	CHECK(targets(code, {0, 1, 7}, gaps) == std::vector<std::uint64_t>{0x1100, 0x1100});
}

TEST_CASE("a call that is cut off, and no code at all, are nothing")
{
	CHECK(targets({0xe8, 0xfb, 0x00, 0x00}, {0}, gaps).empty());
	CHECK(targets({}, {}, gaps).empty());
	CHECK(targets({0xe8, 0xfb, 0x00, 0x00, 0x00}, {}, gaps) == std::vector<std::uint64_t>{0x1100});
}

TEST_CASE("an address is in one of the ranges, or in none, however far they lie apart")
{
	const std::uint64_t far = GENERATE(std::uint64_t{0x2000}, std::uint64_t{0x2'0000'0000}, ~std::uint64_t{0xffff});
	const AddressRanges ranges({{0x1008, 0x1009}, {0x1010, 0x1018}, {far, far + 0x20}});
	for (const std::uint64_t inside :
	     {std::uint64_t{0x1008}, std::uint64_t{0x1010}, std::uint64_t{0x1017}, far, far + 0x1f})
		CHECK(ranges.have(inside));
	for (const std::uint64_t outside : {std::uint64_t{0}, std::uint64_t{0x1007}, std::uint64_t{0x1009},
					    std::uint64_t{0x100f}, std::uint64_t{0x1018}, far - 1, far + 0x20})
		CHECK_FALSE(ranges.have(outside));
	CHECK_FALSE(AddressRanges({}).have(0x1000));
}
