// SPDX-License-Identifier: GPL-2.0
// Functions of ELF files, compared with what nm(1) says about the same files.
#include <catch2/catch.hpp>

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>

#include "app/symbol_table.h"
#include "base/handle.h"
#include "base/text.h"
#include "io/procfs.h"
#include "objects/elf_objects.h"

using namespace uwind;

namespace {

std::string output_of(const std::string& command)
{
	const std::unique_ptr<FILE, FreeWith<&::pclose>> pipe(::popen(command.c_str(), "r"));
	std::string text;
	char part[4096];
	while (const std::size_t length = pipe ? std::fread(part, 1, sizeof(part), pipe.get()) : 0)
		text.append(part, length);
	return text;
}

struct NmSymbol {
	std::uint64_t address, bytes;
	std::string name;
};

// "address size type name": code (t, T, w, W, i) that has a size.
std::vector<NmSymbol> nm(const std::string& arguments)
{
	std::istringstream lines(output_of("nm -S --defined-only " + arguments + " 2>/dev/null"));
	std::vector<NmSymbol> symbols;
	for (std::string line; std::getline(lines, line);) {
		std::istringstream fields(line);
		std::string address, bytes, type, name;
		fields >> address >> bytes >> type >> name;
		// To nm(1) a weak variable of the sanitizers is no different.
		if (!name.empty() && type.find_first_of("tTwWi") == 0 && name != "__sancov_lowest_stack")
			symbols.push_back(
				{*parse_number(address, 16), *parse_number(bytes, 16), name.substr(0, name.find('@'))});
	}
	return symbols;
}

std::shared_ptr<UniqueFd> opened(const std::string& path)
{
	auto fd = std::make_shared<UniqueFd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	REQUIRE(*fd);
	return fd;
}

std::shared_ptr<UniqueFd> with_bytes(std::string_view bytes)
{
	auto fd = std::make_shared<UniqueFd>(::memfd_create("bytes", MFD_CLOEXEC));
	REQUIRE(::write(fd->get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
	return fd;
}

ObjectFacts facts_of(const std::shared_ptr<UniqueFd>& fd)
{
	const auto object = ElfObjects().open(fd);
	REQUIRE(object);
	return (*object)->facts();
}

// Every address that nm puts into a function is in one of its functions for us.
void compare(const std::string& path, const std::vector<NmSymbol>& expected)
{
	const auto object = ElfObjects().open(opened(path));
	REQUIRE(object);
	Functions functions = (*object)->functions(path);
	CHECK(functions.refused == "");
	const SymbolTable table(std::move(functions.symbols), {});
	std::map<std::uint64_t, std::set<std::string>> names;
	for (const auto& symbol : expected)
		names[symbol.address].insert(demangled(symbol.name));
	std::size_t same = 0;
	for (const auto& symbol : expected) {
		const auto place = table.find(symbol.address);
		if (place && place->offset == 0 && names[symbol.address].contains(place->name))
			same++;
		else if (!place || place->offset == 0)
			UNSCOPED_INFO(symbol.name << " at " << hex(symbol.address));
	}
	CHECK(same == expected.size());
}

} // namespace

TEST_CASE("this program's functions are those that nm shows")
{
	const auto expected = nm("/proc/self/exe");
	const auto own = output_of("readlink /proc/" + std::to_string(::getpid()) + "/exe");
	const std::string path = own.substr(0, own.find('\n'));
	const auto symbols = nm(path);
	REQUIRE(symbols.size() > 1000);
	compare(path, symbols);
}

TEST_CASE("a stripped library's functions are those that nm -D shows")
{
	Procfs procfs;
	const auto mappings = procfs.mappings(static_cast<std::uint32_t>(::getpid()));
	REQUIRE(mappings);
	for (const Mapping& mapping : *mappings) {
		if (mapping.path.find("/libc.so") == std::string::npos || !nm(mapping.path).empty())
			continue;
		const ObjectFacts facts = facts_of(opened(mapping.path));
		CHECK(facts.build_id.size() == 40);
		CHECK_FALSE(facts.segments.empty());
		if (::access(("/usr/lib/debug/.build-id/" + facts.build_id.substr(0, 2) + "/" +
			      facts.build_id.substr(2) + ".debug")
				     .c_str(),
			     R_OK) != 0)
			compare(mapping.path, nm("-D " + mapping.path));
	}
}

TEST_CASE("an ELF file's facts: entry, segments, loader, libraries, build-id")
{
	const ObjectFacts facts = facts_of(opened("/proc/self/exe"));
	CHECK(facts.entry != 0);
	CHECK(facts.segments.size() >= 2);
	CHECK(facts.interpreter.starts_with("/lib"));
	CHECK(facts.needed.size() >= 2);
}

TEST_CASE("a script's interpreter is what its first line says")
{
	const auto [text, interpreter] = GENERATE(table<std::string, std::string>({
		{"#!/bin/sh\n", "/bin/sh"},
		{"#! /usr/bin/env python3\n", "/usr/bin/env"},
		{"#!/bin/sh", "/bin/sh"},
	}));
	CHECK(facts_of(with_bytes(text)).interpreter == interpreter);
}

TEST_CASE("what is no ELF file gives an error, cut off anywhere as well")
{
	std::ifstream file("/proc/self/exe", std::ios::binary);
	std::string head(4096, '\0');
	file.read(head.data(), static_cast<std::streamsize>(head.size()));
	for (std::size_t length = 0; length < head.size(); length += 7) {
		const auto object = ElfObjects().open(with_bytes(std::string_view(head).substr(0, length)));
		if (!object)
			continue;
		(void)(*object)->facts();
		CHECK_FALSE((*object)->table());
		CHECK((*object)->functions("/nowhere/cut").symbols.empty());
	}
}
