// SPDX-License-Identifier: GPL-2.0
// Which name an address has.
#include <catch2/catch.hpp>

#include "app/symbol_table.h"

using namespace uwind;

namespace {

std::string name_at(const SymbolTable& table, std::uint64_t address)
{
	const auto place = table.find(address);
	return place ? place->name : "";
}

} // namespace

TEST_CASE("a name counts only where the symbol's size covers the address")
{
	const SymbolTable table({{0x100, 0x10, Binding::global, "f"}, {0x120, 0x10, Binding::local, "g"}}, 0);
	CHECK(name_at(table, 0xff) == "");
	CHECK(name_at(table, 0x100) == "f");
	CHECK(name_at(table, 0x10f) == "f");
	CHECK(name_at(table, 0x110) == "");
	CHECK(name_at(table, 0x12f) == "g");
	CHECK(table.find(0x108)->offset == 8);
}

TEST_CASE("of several names: global, local, weak; then the shortest; then by the alphabet")
{
	const SymbolTable table({{0x100, 8, Binding::weak, "a"},
				 {0x100, 8, Binding::local, "b"},
				 {0x100, 8, Binding::global, "zz_long"},
				 {0x100, 8, Binding::global, "zb"},
				 {0x100, 8, Binding::global, "za"}},
				0);
	CHECK(name_at(table, 0x104) == "za");
}

TEST_CASE("within an enclosing function the nearest start that reaches the address wins")
{
	const SymbolTable table({{0x100, 0x100, Binding::global, "outer"}, {0x140, 0x10, Binding::local, "inner"}}, 0);
	CHECK(name_at(table, 0x13f) == "outer");
	CHECK(name_at(table, 0x148) == "inner");
	CHECK(name_at(table, 0x150) == "outer");
	CHECK(name_at(table, 0x200) == "");
}

TEST_CASE("the entry point of a stripped program is called _start, up to the next function")
{
	const SymbolTable stripped({}, 0x1000);
	CHECK(name_at(stripped, 0x1000) == "_start");
	CHECK(name_at(stripped, 0x1000 + SymbolTable::entry_bytes - 1) == "_start");
	CHECK(name_at(stripped, 0x1000 + SymbolTable::entry_bytes) == "");
	CHECK(name_at(stripped, 0xfff) == "");
	const SymbolTable next({{0x1010, 8, Binding::global, "main"}}, 0x1000);
	CHECK(name_at(next, 0x100f) == "_start");
	CHECK(name_at(next, 0x1010) == "main");
	CHECK(name_at(next, 0x1018) == "");
	CHECK(name_at(SymbolTable({}, 0), 0) == "");
}

TEST_CASE("a function whose size wraps around names nothing")
{
	const SymbolTable table({{~0ull - 4, 100, Binding::global, "f"}}, 0);
	CHECK(name_at(table, ~0ull - 2) == "");
}

TEST_CASE("C++ names are demangled, others are left alone")
{
	CHECK(demangled("_ZN5uwind4stopEv") == "uwind::stop()");
	CHECK(demangled("main") == "main");
	CHECK(demangled("_Znonsense!") == "_Znonsense!");
}
