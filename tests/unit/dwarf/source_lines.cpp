// SPDX-License-Identifier: GPL-2.0
// Lines and inlined functions at each address of programs of several compilers and of Debian's libc, compared with what
// llvm-symbolizer says. 8 s.
#include "dwarf/source_lines.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <unistd.h>

#include "base/text.h"
#include "dwarf/scopes.h"
#include "dwarf/units.h"
#include "elf/file.h"
#include "io/debug_file.h"
#include "objects/names.h"
#include "unit/skipped.h"
#include "unit/source_folder.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

// Inlined functions of templates, of classes in classes, and of a lambda; a conditional of several lines.
constexpr char inlining_program[] = R"(
#include <vector>
namespace {
inline __attribute__((always_inline)) int twice(int x)
{
	return x > 5 ?
		x * 2 :
		x - 1;
}
template <typename T> struct Stack {
	std::vector<T> items;
	inline __attribute__((always_inline)) void push(T item) { items.push_back(twice(item)); }
};
}
int seen;
struct Outer {
	struct Inner {
		static __attribute__((noinline)) int sum(const std::vector<int>& v)
		{
			int s = 0;
			for (int i : v)
				s += twice(i);
			return s;
		}
	};
};
int main(int argc, char**)
{
	Stack<int> stack;
	for (int i = 0; i < argc * 10; i++)
		stack.push(i);
	auto keep = [&](int n) __attribute__((noinline)) { seen = n + twice(argc); };
	keep(Outer::Inner::sum(stack.items));
}
)";

// GNU C's functions in functions, whose code lies outside the outer one's.
constexpr char nested_program[] = R"(
static inline __attribute__((always_inline)) int thrice(int x)
{
	return x * 3;
}
int main(int argc, char** argv)
{
	__attribute__((noinline)) int inner(int x)
	{
		volatile int y = thrice(x) + argc;
		return y;
	}
	return inner(argc) + inner(2);
}
)";

using Places = std::map<std::uint64_t, std::vector<SourcePlace>>;

std::shared_ptr<UniqueFd> opened(const std::string& path)
{
	auto fd = std::make_shared<UniqueFd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	REQUIRE(*fd);
	return fd;
}

// What both say in the same way: a file's last part, and nothing of code that belongs to no line. What the function
// that has the code is called is a matter of symbols.
std::vector<SourcePlace> comparable(std::vector<SourcePlace> places)
{
	for (SourcePlace& place : places)
		place.file = place.line ? std::string(basename_of(place.file)) : "";
	if (!places.empty())
		places.back().function.clear();
	if (places.size() == 1 && !places.front().line)
		places.clear();
	return places;
}

std::set<std::uint64_t> addresses_of(const std::string& path, std::uint64_t step)
{
	const auto fd = opened(path);
	const auto file = ElfFile::open_any(fd->get());
	REQUIRE(file);
	std::set<std::uint64_t> addresses;
	for (const Symbol& symbol : functions_in(*file, SHT_SYMTAB))
		for (std::uint64_t at = 0; at < symbol.bytes; at += step)
			addresses.insert(symbol.address + at);
	return addresses;
}

std::optional<std::uint64_t> address_of_function(const std::string& path, const std::string& name)
{
	const auto fd = opened(path);
	const auto file = ElfFile::open_any(fd->get());
	REQUIRE(file);
	for (const Symbol& symbol : functions_in(*file, SHT_SYMTAB))
		if (symbol.name == name)
			return symbol.address;
	return std::nullopt;
}

Places ours(const std::string& path, const std::set<std::uint64_t>& addresses)
{
	auto lines = SourceLines::open(opened(path));
	REQUIRE(lines);
	const auto found = lines->at({addresses.begin(), addresses.end()});
	REQUIRE(found.size() == addresses.size());
	Places places;
	std::size_t next = 0;
	for (const std::uint64_t address : addresses)
		places[address] = comparable(found[next++]);
	return places;
}

// "FILE:LINE:COLUMN"
SourcePlace place_in(const std::string& function, std::string text)
{
	text.resize(text.rfind(':'));
	const std::size_t colon = text.rfind(':');
	return {function == "??" ? "" : function, text.substr(0, colon),
		static_cast<std::uint32_t>(parse_number(text.substr(colon + 1), 10).value_or(0))};
}

// An address, pairs of lines for its functions, and an empty line.
Places theirs(const std::string& path, const std::set<std::uint64_t>& addresses, const TemporaryFolder& folder)
{
	std::ofstream asked(folder.at("asked"));
	for (const std::uint64_t address : addresses)
		asked << "0x" << std::hex << address << '\n';
	asked.close();
	const std::string command = "llvm-symbolizer-14 --addresses --functions=linkage --inlines --no-demangle -e " +
				    path + " <" + folder.at("asked") + " >" + folder.at("said");
	REQUIRE(std::system(command.c_str()) == 0);
	std::ifstream said(folder.at("said"));
	Places places;
	for (std::string line, function; std::getline(said, line);) {
		auto& list = places[*parse_number(line.substr(2), 16)];
		while (std::getline(said, function) && !function.empty() && std::getline(said, line))
			list.push_back(place_in(function, line));
		list = comparable(std::move(list));
	}
	return places;
}

std::string text_of(const std::vector<SourcePlace>& places)
{
	std::string text;
	for (const SourcePlace& place : places)
		text += "\n  " + place.function + " " + place.file + ":" + std::to_string(place.line);
	return text;
}

struct Figures {
	std::size_t addresses = 0, inlined = 0;
};

Figures compare(const std::string& path, std::uint64_t step)
{
	const TemporaryFolder folder;
	const auto addresses = addresses_of(path, step);
	const Places mine = ours(path, addresses), other = theirs(path, addresses, folder);
	Figures figures;
	std::string differences;
	for (const std::uint64_t address : addresses) {
		const auto &a = mine.at(address), &b = other.at(address);
		figures.addresses++;
		figures.inlined += a.empty() ? 0 : a.size() - 1;
		if (a != b && differences.size() < 2000)
			differences += "\n" + hex(address) + text_of(a) + "\n differs from" + text_of(b);
	}
	CHECK(differences == "");
	return figures;
}

bool has_symbolizer()
{
	return std::system("command -v llvm-symbolizer-14 >/dev/null") == 0 ||
	       skipped("llvm-symbolizer-14 is not installed");
}

std::string compiled(const TemporaryFolder& folder, const char* source, const std::string& command)
{
	std::ofstream(folder.at("source")) << source;
	const std::string all = "cd " + folder.path.string() + " && " + command + " source -o program";
	INFO(all);
	REQUIRE(std::system(all.c_str()) == 0);
	return folder.at("program");
}

} // namespace

TEST_CASE("each address of a program has the lines and inlined functions that llvm-symbolizer says")
{
	if (!has_symbolizer())
		return;
	for (const std::string command :
	     {"g++ -O2 -g", "g++ -O2 -gdwarf-4", "g++ -O2 -g1", "g++ -O0 -g", "g++ -O2 -g -gsplit-dwarf",
	      "g++ -O2 -g -ffunction-sections -Wl,--gc-sections", "clang++-14 -O2 -g", "clang++-14 -O2 -g -gdwarf-4",
	      "clang++-14 -O2 -g -gsplit-dwarf", "clang++-14 -O2 -g -gdwarf-aranges"}) {
		INFO(command);
		const TemporaryFolder folder;
		const Figures figures = compare(compiled(folder, inlining_program, command + " -x c++"), 1);
		CHECK(figures.addresses > 500);
		CHECK((figures.inlined > 100 || command.find("-O0") != std::string::npos));
	}
}

TEST_CASE("functions within functions are found, and what is inlined into them")
{
	const TemporaryFolder folder;
	const std::string path = compiled(folder, nested_program, "gcc -O2 -g -x c");
	auto lines = SourceLines::open(opened(path));
	REQUIRE(lines);
	std::set<std::string> chains;
	const auto addresses = addresses_of(path, 1);
	for (const auto& places : lines->at({addresses.begin(), addresses.end()})) {
		std::string chain;
		for (const SourcePlace& place : places)
			chain += place.function + ' ';
		chains.insert(chain);
	}
	CHECK(chains.contains("thrice inner "));
	CHECK(chains.contains("inner "));
	CHECK(chains.contains("main "));
}

TEST_CASE("of one unit, so many entries are looked at, and so deep ones, as the limits say")
{
	const TemporaryFolder folder;
	const std::string path = compiled(folder, nested_program, "gcc -O2 -g -x c");
	const auto fd = opened(path);
	const std::unique_ptr<Dwarf, FreeWith<&dwarf_end>> dwarf(dwarf_begin(fd->get(), DWARF_C_READ));
	const DwarfUnits units(dwarf.get());
	const std::uint64_t address = *address_of_function(path, "main");
	const DwarfUnit* unit = units.at(address);
	REQUIRE(unit);
	const auto scopes = [&](ScopeLimits limits) { return scopes_at(unit->scopes, {address}, limits)[0].size(); };
	CHECK(scopes({}) >= 1);
	CHECK(scopes({.depth = 0}) == 0);
	CHECK(scopes({.entries = 0}) == 0);
}

TEST_CASE("libc's debug file says what llvm-symbolizer says of it")
{
	if (!has_symbolizer())
		return;
	const std::string libc = "/lib/x86_64-linux-gnu/libc.so.6";
	if (::access(libc.c_str(), R_OK) != 0) {
		skipped("no libc of x86-64 is here");
		return;
	}
	const auto program = opened(libc);
	const auto elf = ElfFile::open(program->get());
	REQUIRE(elf);
	const DebugFile debug = find_debug_file(*elf, {libc, debug_folder});
	if (!debug.elf) {
		skipped("libc6-dbg is not installed");
		return;
	}
	const Figures figures = compare(debug.path, 97);
	CHECK(figures.addresses > 10000);
	CHECK(figures.inlined > 3000);
}

TEST_CASE("what has no debug information says so")
{
	const TemporaryFolder folder;
	const auto stripped =
		SourceLines::open(opened(compiled(folder, "int main(void) { return 0; }", "gcc -s -x c")));
	REQUIRE(!stripped);
	CHECK(stripped.error().code == ENODATA);
	CHECK(stripped.error().message == "no DWARF information");
	std::ofstream(folder.at("text")) << "no ELF file\n";
	CHECK(!SourceLines::open(opened(folder.at("text"))));
}

TEST_CASE("a file that the library refuses without a reason is refused with one")
{
	const auto lines = SourceLines::open(opened(in_sources("tests/fuzz/corpus/dwarf/refused-without-a-reason")));
	REQUIRE_FALSE(lines);
	CHECK(lines.error().message != "");
}
