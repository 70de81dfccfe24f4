// SPDX-License-Identifier: GPL-2.0
// Which name an address has.
#include <catch2/catch.hpp>

#include <fcntl.h>

#include "app/symbols.h"
#include "io/procfs.h"
#include "objects/elf_objects.h"
#include "tables/table_builder.h"
#include "unit/tables/readelf_frames.h"

using namespace uwind;

namespace {

std::string name_at(const SymbolTable& table, std::uint64_t address)
{
	const auto place = table.find(address);
	return place ? place->name : "";
}

// Names in a file on this machine.
class Named {
public:
	explicit Named(const std::string& path)
	{
		auto file = processes_.open_path(path);
		REQUIRE(file);
		const auto fd = std::make_shared<UniqueFd>(std::move(file->fd));
		const auto object = objects_.open(fd);
		REQUIRE(object);
		entry_ = (*object)->facts().entry;
		id_ = modules_.add(file->identity, path).id;
		modules_.set_object(id_, (*object)->facts(), fd);
	}

	std::uint64_t entry() const { return entry_; }
	std::string at(std::uint64_t address)
	{
		const auto place = symbols_.find(id_, address);
		return place ? place->name : "";
	}

private:
	ElfObjects objects_;
	Procfs processes_;
	Modules modules_;
	Symbols symbols_{objects_, processes_, modules_};
	ModuleId id_ = 0;
	std::uint64_t entry_ = 0;
};

// Of one that this program maps.
std::string path_of_library(const std::string& part)
{
	const auto mappings = Procfs().mappings(static_cast<std::uint32_t>(::getpid()));
	REQUIRE(mappings);
	for (const Mapping& mapping : *mappings)
		if (mapping.path.find(part) != std::string::npos)
			return mapping.path;
	FAIL("no " << part << " is mapped");
	return "";
}

} // namespace

TEST_CASE("a name counts only where the symbol's size covers the address")
{
	const SymbolTable table({{0x100, 0x10, Binding::global, "f"}, {0x120, 0x10, Binding::local, "g"}}, {});
	CHECK(name_at(table, 0xff) == "");
	CHECK(name_at(table, 0x100) == "f");
	CHECK(name_at(table, 0x10f) == "f");
	CHECK(name_at(table, 0x110) == "");
	CHECK(name_at(table, 0x12f) == "g");
	CHECK(table.find(0x108)->offset == 8);
}

TEST_CASE("of several names: global, local, weak, then the shortest, then by the alphabet")
{
	const SymbolTable table({{0x100, 8, Binding::weak, "a"},
				 {0x100, 8, Binding::local, "b"},
				 {0x100, 8, Binding::global, "zz_long"},
				 {0x100, 8, Binding::global, "zb"},
				 {0x100, 8, Binding::global, "za"}},
				{});
	CHECK(name_at(table, 0x104) == "za");
}

TEST_CASE("within an enclosing function the nearest start that reaches the address wins")
{
	const SymbolTable table({{0x100, 0x100, Binding::global, "outer"}, {0x140, 0x10, Binding::local, "inner"}}, {});
	CHECK(name_at(table, 0x13f) == "outer");
	CHECK(name_at(table, 0x148) == "inner");
	CHECK(name_at(table, 0x150) == "outer");
	CHECK(name_at(table, 0x200) == "");
}

TEST_CASE("a stripped program's entry code is called _start, up to its end or the next function")
{
	const SymbolTable stripped({}, {0x1000, 34});
	CHECK(name_at(stripped, 0x1000) == "_start");
	CHECK(name_at(stripped, 0x1000 + 33) == "_start");
	CHECK(name_at(stripped, 0x1000 + 34) == "");
	CHECK(name_at(stripped, 0xfff) == "");
	const SymbolTable next({{0x1010, 8, Binding::global, "main"}}, {0x1000, 34});
	CHECK(name_at(next, 0x100f) == "_start");
	CHECK(name_at(next, 0x1010) == "main");
	CHECK(name_at(next, 0x1018) == "");
	CHECK(name_at(SymbolTable({}, {}), 0) == "");
}

TEST_CASE("code behind the entry function of a stock program has no name")
{
	const std::string program = GENERATE("/bin/cat", "/bin/ls");
	Named named(program);
	std::uint64_t start = named.entry(), end = 0;
	for (const auto& function : readelf::ask_readelf("readelf", program, host_arch()))
		if (function.start == start)
			end = function.end;
	REQUIRE(end > start);
	CHECK(named.at(start) == "_start");
	CHECK(named.at(end - 1) == "_start");
	CHECK(named.at(end) == "");
	CHECK(named.at(end + 16) == "");
}

TEST_CASE("where a library's .text begins is no entry: nothing is called _start there")
{
	Named named(path_of_library("/libstdc++.so"));
	for (std::uint64_t at = 0; at < 64; at += 4)
		CHECK(named.at(named.entry() + at) != "_start");
}

TEST_CASE("a function whose size wraps around names nothing")
{
	const SymbolTable table({{~0ull - 4, 100, Binding::global, "f"}}, {});
	CHECK(name_at(table, ~0ull - 2) == "");
}
