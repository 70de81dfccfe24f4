// SPDX-License-Identifier: GPL-2.0
// The files that a report names: taken only if they are those that were recorded, wherever they are.
#include "objects/code_files.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

constexpr char program[] = R"(
static inline __attribute__((always_inline)) int inlined(int x) { return x * 3 + 1; }
__attribute__((noinline)) int work(int x) { return inlined(x); }
int main(int argc, char** argv) { return work(argc); }
)";

constexpr char build_id[] = "0123456789abcdef0123";

void run(const std::string& command)
{
	INFO(command);
	REQUIRE(std::system(command.c_str()) == 0);
}

// ROOT/usr/bin/prog, stripped, and ROOT/usr/lib/debug/.build-id/01/….debug.
struct Machine {
	TemporaryFolder folder;
	std::string root = folder.path, file = root + "/usr/bin/prog", debug = root + "/usr/lib/debug";

	Machine()
	{
		const std::string debug_file = debug + "/.build-id/01/" + (build_id + 2) + ".debug";
		run("mkdir -p " + root + "/usr/bin " + debug + "/.build-id/01");
		std::ofstream(root + "/source.c") << program;
		run("gcc -O2 -g -Wl,--build-id=0x" + std::string(build_id) + " " + root + "/source.c -o " + file);
		run("objcopy --only-keep-debug " + file + " " + debug_file);
		run("strip " + file);
	}
	CodePlaces places() const { return {{root}, {debug}}; }
};

const Symbol* symbol_of(const Functions& functions, const std::string& name)
{
	const auto found = std::find_if(functions.symbols.begin(), functions.symbols.end(),
					[&](const Symbol& symbol) { return symbol.name == name; });
	return found == functions.symbols.end() ? nullptr : &*found;
}

// work(), into which another function was inlined.
void check_work(CodeFile& file)
{
	const Functions functions = file.functions();
	const Symbol* work = symbol_of(functions, "work");
	REQUIRE(work);
	const auto places = file.places({work->address});
	REQUIRE(places.at(0).size() == 2);
	CHECK(places[0][0].function == "inlined");
	CHECK(places[0][0].line == 2);
	CHECK(places[0][1].function == "work");
	CHECK(places[0][1].line == 3);
	CHECK(file.lacks() == "");
}

} // namespace

TEST_CASE("a stripped program has the names and lines of its debug file")
{
	const Machine machine;
	const auto file = ElfCodeFiles(machine.places()).open({"/usr/bin/prog", build_id});
	REQUIRE(file);
	check_work(**file);
}

TEST_CASE("without the program its debug file is enough")
{
	const Machine machine;
	run("rm " + machine.file);
	const auto file = ElfCodeFiles(machine.places()).open({"/usr/bin/prog", build_id});
	REQUIRE(file);
	check_work(**file);
}

TEST_CASE("a program that has its debug information needs no other file")
{
	const Machine machine;
	run("gcc -O2 -g -Wl,--build-id=0x" + std::string(build_id) + " " + machine.root + "/source.c -o " +
	    machine.file);
	const auto file = ElfCodeFiles({{machine.root}, {}}).open({"/usr/bin/prog", build_id});
	REQUIRE(file);
	check_work(**file);
}

TEST_CASE("without its debug file a program has the names that it has, and says what it lacks")
{
	const Machine machine;
	const auto file = ElfCodeFiles({{machine.root}, {}}).open({"/usr/bin/prog", build_id});
	REQUIRE(file);
	CHECK((*file)->places({0x1000, 0x2000}) == std::vector<std::vector<SourcePlace>>(2));
	CHECK((*file)->lacks() == "it has no debug information, and no debug file is there");
}

TEST_CASE("another program at the path is not taken, and is named")
{
	const Machine machine;
	const std::string other = "ffff6789abcdef0123";
	const auto replaced = ElfCodeFiles(machine.places()).open({"/usr/bin/prog", other});
	REQUIRE(!replaced);
	CHECK(replaced.error().code == ENOENT);
	CHECK(replaced.error().message == "it is another file by now (" + machine.file + " has build-id " + build_id +
						  ", not " + other + "), and no debug file of its build-id is there");
	const auto gone = ElfCodeFiles(machine.places()).open({"/usr/bin/none", other});
	REQUIRE(!gone);
	CHECK(gone.error().message == "there is no such file, and no debug file of its build-id is there");
}

TEST_CASE("a debug file under another's build-id is not taken")
{
	const Machine machine;
	const std::string folder = machine.debug + "/.build-id/ff";
	run("mkdir " + folder + " && cp " + machine.debug + "/.build-id/01/*.debug " + folder + "/ff6789.debug");
	CHECK(!ElfCodeFiles(machine.places()).open({"/usr/bin/none", "ffff6789"}));
}
