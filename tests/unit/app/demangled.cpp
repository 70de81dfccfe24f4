// SPDX-License-Identifier: GPL-2.0
// Names of functions as programmers write them.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "app/demangled.h"
#include "unit/temporary_folder.h"

using namespace uwind;

TEST_CASE("names of C++, Rust and D are demangled, others are left alone")
{
	CHECK(demangled("_ZN5uwind4stopEv") == "uwind::stop()");
	CHECK(demangled("_ZN4core3fmt5Write9write_fmt17h01a3456789abcdefE") == "core::fmt::Write::write_fmt");
	CHECK(demangled("_RNvNtCs1234_4core3fmt5write") == "core::fmt::write");
	CHECK(demangled("_D3std5stdio4File4openMFAyaZv") == "std.stdio.File.open(immutable(char)[])");
	CHECK(demangled("_Dmain") == "D main");
	for (const char* name :
	     {"", "_", "main", "_Znonsense!", "_Rnonsense!", "_Dnonsense!", "_Z", "_R", "_D", "Z1fv"})
		CHECK(demangled(name) == name);
}

namespace {

// f(pair<pair<…>, pair<…>>): each type is the one before, twice.
std::string hostile_cxx(unsigned depth)
{
	std::string name = "_Z1fSt4pairIiiE";
	const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	for (unsigned i = 0; i < depth; i++) {
		const std::string before = std::string("S") + digits[i] + "_";
		name += "S_I" + before + before + "E";
	}
	return name;
}

std::string back_to(std::size_t at)
{
	const std::string digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	std::string number;
	if (at)
		for (std::size_t left = at - 1;; left /= 62) {
			number.insert(number.begin(), digits[left % 62]);
			if (left < 62)
				break;
		}
	return "B" + number + "_";
}

std::string hostile_rust(unsigned depth)
{
	std::string name = "INvC1a1f";
	std::size_t before = name.size();
	name += "TllE";
	for (unsigned i = 0; i < depth; i++) {
		const std::string reference = back_to(before);
		before = name.size();
		name += "T" + reference + reference + "E";
	}
	return "_R" + name + "E";
}

std::string hostile_d(unsigned depth)
{
	std::string name = "_D1a1fF";
	std::size_t before = name.size();
	name += "Hii";
	for (unsigned i = 0; i < depth; i++) {
		const std::size_t here = name.size();
		name += "H";
		for (unsigned j = 0; j < 2; j++) {
			const std::size_t distance = name.size() - before;
			name += "Q";
			name += static_cast<char>('a' + distance);
		}
		before = here;
	}
	return name + "Zv";
}

// The library calls itself as deep as the name has pointers, once more for each reference to their first.
std::string deep_d(std::size_t pointers, unsigned references)
{
	std::string name = "_D1a1f";
	const std::size_t first = name.size();
	name += std::string(pointers, 'P') + "F";
	for (unsigned i = 0; i < references; i++) {
		const std::size_t distance = name.size() - first;
		name += "Q";
		if (distance >= 26 * 26)
			name += static_cast<char>('A' + distance / (26 * 26));
		name += static_cast<char>('A' + distance / 26 % 26);
		name += static_cast<char>('a' + distance % 26);
	}
	return name + "Zv";
}

} // namespace

TEST_CASE("a name that stands for gigabytes is left alone")
{
	for (const auto& hostile : {hostile_cxx, hostile_rust, hostile_d}) {
		const std::string small = hostile(3), large = hostile(30);
		CAPTURE(large);
		CHECK(demangled(small) != small);
		CHECK(demangled(large) == large);
	}
}

TEST_CASE("a name that is nested deeper than the stack is left alone")
{
	const std::string deep = GENERATE("_Z1f", "_RI", "_RNv", "_D1f");
	const char letter = GENERATE('P', 'T', 'N', 'I', 'A');
	const std::string name = deep + std::string(1 << 20, letter);
	CHECK(demangled(name) == name);
}

TEST_CASE("references of D to what is not complete do not use up the stack")
{
	for (std::size_t pointers = 900; pointers < 1010; pointers += 7)
		for (unsigned references = 1; references < 30; references++) {
			const std::string name = deep_d(pointers, references);
			CHECK(demangled(name).size() <= most_demangled_bytes);
		}
}

namespace {

std::vector<std::string> lines_of(const std::string& path)
{
	std::ifstream file(path);
	std::vector<std::string> lines;
	for (std::string line; std::getline(file, line);)
		lines.push_back(line);
	return lines;
}

} // namespace

// UWIND_NAMES: a file of names, one in each line, of one language; UWIND_STYLE: what c++filt calls it.
TEST_CASE("all names of a program are those of c++filt", "[.names]")
{
	const char *path = std::getenv("UWIND_NAMES"), *style = std::getenv("UWIND_STYLE");
	REQUIRE(path);
	REQUIRE(style);
	TemporaryFolder folder;
	const std::string theirs = folder.at("theirs");
	REQUIRE(std::system(("c++filt -i -s " + std::string(style) + " <" + path + " >" + theirs).c_str()) == 0);
	const auto names = lines_of(path), forms = lines_of(theirs);
	REQUIRE(names.size() == forms.size());
	std::size_t equal = 0, left_alone = 0;
	for (std::size_t i = 0; i < names.size(); i++) {
		const std::string form = demangled(names[i]);
		equal += form == forms[i];
		left_alone += form == names[i] && form != forms[i];
		if (form != forms[i] && form != names[i])
			std::printf("%s\n  ours   %s\n  theirs %s\n", names[i].c_str(), form.c_str(), forms[i].c_str());
	}
	std::printf("figure: names style=%s all=%zu equal=%zu left_alone=%zu\n", style, names.size(), equal,
		    left_alone);
	CHECK(names.size() > 1000);
	CHECK(equal + left_alone == names.size());
	CHECK(left_alone * 200 <= names.size());
}
