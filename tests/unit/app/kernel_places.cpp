// SPDX-License-Identifier: GPL-2.0
// Where the kernel's code lies in its files: by the names that frames have.
#include "app/kernel_places.h"

#include <catch2/catch.hpp>

using namespace uwind;

namespace {

using Addresses = std::vector<std::optional<std::uint64_t>>;

constexpr std::uint64_t moved = 0x12000000, linked = 0xffffffff81000000;

Symbol function(std::uint64_t address, const char* name)
{
	return {address, 0x100, Binding::local, name};
}

const std::vector<CodePart> whole = {{0, ~std::uint64_t{0}}};

} // namespace

TEST_CASE("a kernel that was moved is found by the names of its functions, and nameless code with it")
{
	const std::vector<Symbol> symbols = {function(linked, "first"), function(linked + 0x100, "second")};
	const Addresses found = addresses_in_file({{linked + moved + 0x10, "first", linked + moved},
						   {linked + moved + 0x1f0, "second", linked + moved + 0x100},
						   {linked + moved + 0x400, "", 0}},
						  symbols, whole);
	CHECK(found == Addresses{linked + 0x10, linked + 0x1f0, linked + 0x400});
}

TEST_CASE("a kernel may be moved down")
{
	const std::vector<Symbol> symbols = {function(linked, "first")};
	CHECK(addresses_in_file({{linked - moved + 8, "first", linked - moved}}, symbols, whole) ==
	      Addresses{linked + 8});
}

TEST_CASE("sections of a module are found each for itself")
{
	const std::vector<CodePart> parts = {{0x10000, 0x200}, {0x20000, 0x80}};
	const std::vector<Symbol> symbols = {function(0x10000, "hot"), function(0x20000, "cold")};
	// The kernel has put the second one first.
	const Addresses found = addresses_in_file(
		{{0x1010, "hot", 0x1000}, {0x20, "cold", 0}, {0x11ff, "", 0}, {0x1200, "", 0}}, symbols, parts);
	CHECK(found == Addresses{0x10010, 0x20020, 0x101ff, {}});
}

TEST_CASE("a name that several functions have says nothing, and one that two symbols give one function does")
{
	const std::vector<Symbol> symbols = {function(0x100, "init"), function(0x300, "init"), function(0x200, "work"),
					     function(0x200, "work")};
	CHECK(addresses_in_file({{0x1108, "init", 0x1100}}, symbols, whole) == Addresses{{}});
	CHECK(addresses_in_file({{0x1108, "init", 0x1100}, {0x1204, "work", 0x1200}}, symbols, whole) ==
	      Addresses{0x108, 0x204});
}

TEST_CASE("names of which no majority agrees belong to another file")
{
	const std::vector<Symbol> symbols = {function(0x100, "a"), function(0x200, "b")};
	CHECK(addresses_in_file({{0x1100, "a", 0x1100}, {0x2200, "b", 0x2200}}, symbols, whole) == Addresses{{}, {}});
	CHECK(addresses_in_file({{0x1100, "c", 0x1100}}, symbols, whole) == Addresses{{}});
	CHECK(addresses_in_file({{0x1100, "a", 0x1100}}, symbols, {}) == Addresses{{}});
}
