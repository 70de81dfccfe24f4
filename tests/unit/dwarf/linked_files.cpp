// SPDX-License-Identifier: GPL-2.0
// Debug information that goes on in other files: what Debian's dwz has made of it says the same as before, by
// addr2line; what was split off is known by its id.
#include "dwarf/linked_files.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "elf/file.h"
#include "objects/code_files.h"
#include "objects/names.h"
#include "unit/skipped.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

// What two programs share is a matter of its size.
constexpr char shared_source[] = R"(
#include <map>
#include <string>
#include <vector>
struct Item { std::string name; std::map<int, std::vector<std::string>> more; };
__attribute__((noinline)) int count(const std::vector<Item>& items)
{
	int sum = 0;
	for (const Item& item : items)
		for (const auto& [number, texts] : item.more)
			sum += number + static_cast<int>(texts.size());
	return sum;
}
int main(int argc, char** argv)
{
	std::vector<Item> items(argc);
	for (Item& item : items)
		item.more[argc].push_back(argv[0]);
	return count(items);
}
)";

void run(const std::string& command)
{
	INFO(command);
	REQUIRE(std::system(command.c_str()) == 0);
}

UniqueFd opened(const std::string& path)
{
	UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	REQUIRE(fd);
	return fd;
}

// A program whose debug information is partly in ROOT/shared.
struct Shared {
	TemporaryFolder folder;
	std::string root = folder.path, program = root + "/one";
	// name: as the program says it; "": as dwz does.
	explicit Shared(const std::string& name = "")
	{
		std::ofstream(root + "/source.cc") << shared_source;
		const std::string named = name.empty() ? "" : "-M " + name + " ";
		run("cd " + root +
		    " && g++ -O2 -g -gdwarf-4 -Wl,--build-id source.cc -o one && "
		    "g++ -O1 -g -gdwarf-4 -Wl,--build-id source.cc -o two && dwz " +
		    named + "-m " + root + "/shared one two");
	}
	std::string build_id() const
	{
		const UniqueFd fd = opened(program);
		const auto elf = ElfFile::open_any(fd.get());
		REQUIRE(elf);
		return elf->build_id();
	}
	SharedDebug link() const
	{
		const auto found = shared_debug_of(opened(program).get());
		REQUIRE(found);
		return *found;
	}
};

bool has_dwz()
{
	return std::system("command -v dwz >/dev/null") == 0 || skipped("dwz is not installed");
}

std::string text_of(const SourcePlace& place)
{
	return place.function + ' ' + std::string(basename_of(place.file)) + ':' + std::to_string(place.line);
}

// The same as ours(), by the address.
std::vector<std::string> theirs(const Shared& shared, const std::vector<std::uint64_t>& addresses)
{
	std::ofstream asked(shared.root + "/asked");
	for (const std::uint64_t address : addresses)
		asked << hex(address) << '\n';
	asked.close();
	run("cd " + shared.root + " && addr2line -a -f -i -s -e one <asked | sed 's/ (discriminator.*//' >said");
	std::ifstream said(shared.root + "/said");
	std::vector<std::string> result;
	for (std::string line, place; std::getline(said, line);)
		if (line.starts_with("0x"))
			result.emplace_back();
		else if (std::getline(said, place))
			result.back() += line + ' ' + place + '\n';
	return result;
}

std::vector<std::uint64_t> addresses_of(const std::string& program)
{
	const UniqueFd fd = opened(program);
	const auto elf = ElfFile::open_any(fd.get());
	REQUIRE(elf);
	std::vector<std::uint64_t> addresses;
	for (const Symbol& symbol : functions_in(*elf, SHT_SYMTAB))
		if (symbol.name == "main" || symbol.name.find("count") != std::string::npos)
			for (std::uint64_t at = 0; at < symbol.bytes; at++)
				addresses.push_back(symbol.address + at);
	std::sort(addresses.begin(), addresses.end());
	return addresses;
}

} // namespace

TEST_CASE("debug information that dwz has put into another file says what addr2line says")
{
	if (!has_dwz())
		return;
	const Shared shared;
	const auto file = ElfCodeFiles({{""}, {}}).open({shared.program, shared.build_id()});
	REQUIRE(file);
	CHECK((*file)->lacks() == "");
	const auto addresses = addresses_of(shared.program);
	REQUIRE(addresses.size() > 300);
	const auto places = (*file)->places(addresses);
	const auto other = theirs(shared, addresses);
	REQUIRE(other.size() == addresses.size());
	std::size_t inlined = 0;
	for (std::size_t i = 0; i < addresses.size(); i++) {
		std::string text;
		for (const SourcePlace& place : places[i])
			text += text_of(place) + '\n';
		INFO(hex(addresses[i]));
		inlined += places[i].size() - 1;
		REQUIRE(text == other[i]);
	}
	CHECK(inlined > 300);
}

TEST_CASE("what debug files share is found by its build-id, or by its name, and else is said to be missing")
{
	if (!has_dwz())
		return;
	const Shared shared("debug/shared-by-both");
	const std::string build_id = shared.build_id(), other = shared.link().build_id;
	CHECK(shared.link().name == "debug/shared-by-both");
	const auto lacks = [&](const CodePlaces& places) {
		const auto file = ElfCodeFiles(places).open({shared.program, build_id});
		REQUIRE(file);
		return (*file)->lacks();
	};
	const CodePlaces alone = {{""}, {}}, folders = {{""}, {shared.root + "/found"}};
	const std::string missing =
		"the file that has what its debug information shares with others (debug/shared-by-both) is not there";
	CHECK(lacks(alone) == missing);
	const std::string place = shared.root + "/found" + place_of_build_id(other) + ".debug";
	run("mkdir -p $(dirname " + place + ") && cp " + shared.root + "/shared " + place);
	CHECK(lacks(folders) == "");
	CHECK(lacks(alone) == missing);
	run("mkdir " + shared.root + "/debug && cp " + shared.program + " " + shared.root + "/debug/shared-by-both");
	CHECK(lacks(alone) == missing);
	run("cp " + shared.root + "/shared " + shared.root + "/debug/shared-by-both");
	CHECK(lacks(alone) == "");
}

TEST_CASE("a unit that was split off is known by its id")
{
	const TemporaryFolder folder;
	std::ofstream(folder.at("a.c")) << "int f(int x) { return x; }\n";
	std::ofstream(folder.at("b.c")) << "int f(int); int main(int c) { return f(c); }\n";
	for (const std::string version : {"4", "5"}) {
		run("cd " + folder.path.string() + " && gcc -g -gdwarf-" + version +
		    " -gsplit-dwarf -c a.c && gcc -g -gdwarf-" + version +
		    " -gsplit-dwarf -c b.c && gcc a.o b.o -o program");
		const auto units = split_debug_of(opened(folder.at("program")).get());
		REQUIRE(units.size() == 2);
		CHECK(units[0].name == "a.dwo");
		CHECK(units[1].name == "b.dwo");
		CHECK(std::filesystem::path(units[0].folder) == folder.path);
		CHECK(has_split_unit(opened(folder.at("a.dwo")).get(), units[0].id));
		CHECK(!has_split_unit(opened(folder.at("b.dwo")).get(), units[0].id));
		CHECK(!has_split_unit(opened(folder.at("program")).get(), units[0].id));
	}
	CHECK(split_debug_of(opened(folder.at("a.c")).get()).empty());
	CHECK(!shared_debug_of(opened(folder.at("program")).get()));
}
