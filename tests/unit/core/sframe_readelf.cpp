// SPDX-License-Identifier: GPL-2.0
// What assemblers and linkers write, read by the core and by their own readelf: both
// must say the same at every pc. And what .eh_frame says of the same code.
#include "unit/core/sframe_files.h"
#include "unit/skipped.h"
#include "unit/source_folder.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

using namespace core;
using namespace core::sframe;

namespace {

class ScratchDir {
public:
	ScratchDir()
	{
		std::string pattern = std::filesystem::temp_directory_path() / "uwind-sframe-XXXXXX";
		path_ = ::mkdtemp(pattern.data());
	}
	~ScratchDir() { std::filesystem::remove_all(path_); }
	const std::filesystem::path& path() const { return path_; }

private:
	std::filesystem::path path_;
};

bool run(const std::string& command)
{
	return std::system((command + " 2>/dev/null").c_str()) == 0;
}

void no_difference(const Tally& tally)
{
	for (const auto& texts : {tally.different, tally.unknown})
		for (std::size_t i = 0; i < texts.size() && i < 10; i++)
			UNSCOPED_INFO(texts[i]);
	CHECK(tally.different.empty());
	CHECK(tally.unknown.empty());
}

void compare_made(const std::string& file, u64 functions)
{
	REQUIRE(run("readelf --sframe " + file + " > " + file + ".txt"));
	Tally tally;
	compare_with_readelf(file, tally);
	compare_with_cfi(file, tally);
	no_difference(tally);
	CHECK(tally.functions == functions);
	CHECK(tally.equal > functions);
}

std::string source(const std::string& name)
{
	return in_sources("tests/unit/asm/" + name);
}

// By folder: VERSION-ARCH.
using Tallies = std::map<std::string, Tally>;

Tallies compare_folder(const std::filesystem::path& folder)
{
	Tallies tallies;
	for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
		if (entry.path().extension() != ".txt")
			continue;
		const std::filesystem::path file = entry.path().parent_path() / entry.path().stem();
		Tally& tally = tallies[file.parent_path().filename()];
		compare_with_readelf(file, tally);
		compare_with_cfi(file, tally);
	}
	return tallies;
}

// Rows of the set: as many as readelf prints, and how many of them are known to be wrong.
struct Expected {
	const char* folder;
	u64 rows;
	std::map<std::string, u64> named;
};

// arm64_nested's code keeps its frame when it returns: it makes no sense as it is read, and its CFI is believed.
const Expected expected_set[] = {
	{"2.40-amd64",
	 151,
	 {{"of two remembered states one is kept", 1},
	  {"same_value is not heeded", 1},
	  {"the outermost function is not marked", 1},
	  {"the return address's own rule is not heeded", 1},
	  {"undefined FP is not heeded", 1}}},
	{"2.40-arm64",
	 117,
	 {{"FP's place is written as the return address's", 1},
	  {"a CFA in a register of its own is not heeded", 1},
	  {"of two remembered states one is kept", 3},
	  {"same_value is not heeded", 1},
	  {"the outermost function is not marked", 1},
	  {"undefined FP is not heeded", 1}}},
	{"2.44-amd64",
	 157,
	 {{".plt.got has SP + 16 instead of SP + 8", 1},
	  {"SP's own rule is not heeded", 1},
	  {"of two remembered states one is kept", 1},
	  {"same_value is not heeded", 1},
	  {"the outermost function is not marked", 1},
	  {"the return address's own rule is not heeded", 2},
	  {"undefined FP is not heeded", 1}}},
	{"2.44-arm64",
	 111,
	 {{"of two remembered states one is kept", 3},
	  {"same_value is not heeded", 1},
	  {"the outermost function is not marked", 1},
	  {"undefined FP is not heeded", 1}}},
	{"2.47-amd64",
	 170,
	 {{".plt.got has SP + 16 instead of SP + 8", 1},
	  {"a signal frame is what the ABI says, whatever its rows say", 1},
	  {"of two remembered states one is kept", 1},
	  {"readelf does not say where the header fixes the return address", 9},
	  {"the return address's own rule is not heeded", 1}}},
	{"2.47-arm64",
	 110,
	 {{"a signal frame is what the ABI says, whatever its rows say", 1},
	  {"of two remembered states one is kept", 3}}},
};

void print(const std::string& name, const Tally& tally)
{
	std::cout << name << ": " << tally.files << " files, " << tally.without << " without .sframe; "
		  << tally.functions << " functions; readelf: " << tally.equal << " rows equal, "
		  << tally.different.size() << " different; .eh_frame: " << tally.same_as_cfi << " rows equal, "
		  << tally.unknown.size() << " different\n";
	for (const auto& [why, rows] : tally.named)
		std::cout << "    " << rows << " rows: " << why << "\n";
}

} // namespace

TEST_CASE("x86-64 SFrame of this machine's tools means what readelf says")
{
	ScratchDir dir;
	std::string d = dir.path().string() + "/";
	if (!run("x86_64-linux-gnu-as --gsframe -o " + d + "a.o " + source("core_sframe_x86.s"))) {
		skipped("there is no x86-64 assembler that writes SFrame");
		return;
	}
	REQUIRE(run("x86_64-linux-gnu-as -o " + d + "lib.o " + source("core_sframe_x86_lib.s")));
	REQUIRE(run("x86_64-linux-gnu-ld -shared -o " + d + "lib.so " + d + "lib.o"));
	REQUIRE(run("x86_64-linux-gnu-ld -o " + d + "a " + d + "a.o " + d + "lib.so"));
	compare_made(d + "a", 6);
}

TEST_CASE("arm64 SFrame of this machine's tools means what readelf says")
{
	ScratchDir dir;
	std::string d = dir.path().string() + "/";
	if (!run("aarch64-linux-gnu-as --gsframe -o " + d + "a.o " + source("core_sframe_arm64.s"))) {
		skipped("there is no arm64 assembler that writes SFrame");
		return;
	}
	REQUIRE(run("aarch64-linux-gnu-ld -o " + d + "a " + d + "a.o"));
	compare_made(d + "a", 3);
}

TEST_CASE("SFrame of binutils 2.40, 2.44 and 2.47 means what their readelf says")
{
	const Tallies tallies = compare_folder(in_sources("tests/sframe/set"));
	REQUIRE(tallies.size() == std::size(expected_set));
	for (const Expected& expected : expected_set) {
		INFO(expected.folder);
		const Tally& tally = tallies.at(expected.folder);
		no_difference(tally);
		CHECK(tally.files == 2);
		CHECK(tally.without == 0);
		CHECK(tally.equal == expected.rows);
		CHECK(tally.named == expected.named);
	}
}

TEST_CASE("every file of the folder UWIND_SFRAME_FILES means what its readelf says", "[.sframe]")
{
	const char* folder = std::getenv("UWIND_SFRAME_FILES");
	REQUIRE(folder);
	const Tallies tallies = compare_folder(folder);
	REQUIRE(!tallies.empty());
	for (const auto& [name, tally] : tallies) {
		print(name, tally);
		INFO(name);
		no_difference(tally);
		CHECK(tally.files >= 36);
		CHECK(tally.equal > 1000);
		// Before 2.46, ld --gc-sections dropped every .sframe: two files.
		CHECK(tally.without == (name < "2.46" ? 2 : 0));
	}
}
