// SPDX-License-Identifier: GPL-2.0
// Which files are found below folders, and that no tree is without end.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <fstream>
#include <sys/stat.h>

#include "io/program_tree.h"
#include "unit/temporary_folder.h"

using namespace uwind;
namespace fs = std::filesystem;

namespace {

using Names = std::vector<std::string>;

struct Tree : TemporaryFolder {
	void folder(const char* name) const { fs::create_directories(path / name); }
	void file(const char* name, const std::string& text) const { std::ofstream(path / name) << text; }
	// As far as this walk is concerned.
	void program(const char* name) const
	{
		file(name, "\x7f"
			   "ELF" + std::string(60, 'x'));
	}
	void link(const std::string& to, const char* name) const { fs::create_symlink(to, path / name); }
};

struct Walked {
	Names found; // below the tree, sorted
	std::vector<Error> errors;
};

Walked walked(ProgramTree&& tree, const fs::path& from)
{
	Walked all;
	while (auto next = tree.next()) {
		if (*next)
			all.found.push_back(fs::path((*next)->path).lexically_relative(from));
		else
			all.errors.push_back(next->error());
	}
	std::ranges::sort(all.found);
	return all;
}

Walked walked(const Tree& tree, const ProgramTree::Limits& limits = {})
{
	return walked(ProgramTree({tree.path}, 0, limits), tree.path);
}

} // namespace

TEST_CASE("a walk finds the ELF files of folders below folders, and nothing else")
{
	const Tree tree;
	tree.folder("a/b/c");
	tree.folder("empty");
	tree.program("one");
	tree.program("a/b/c/two");
	tree.file("script", "#!/bin/sh\n" + std::string(60, '#'));
	tree.file("short", "\x7f"
			   "ELF");
	tree.file("none", "");
	REQUIRE(::mkfifo(tree.at("pipe").c_str(), 0600) == 0);
	const Walked all = walked(tree);
	CHECK(all.found == Names{"a/b/c/two", "one"});
	CHECK(all.errors.empty());
}

TEST_CASE("a file is found once, whatever names it has")
{
	const Tree tree;
	tree.folder("a");
	tree.program("one");
	fs::create_hard_link(tree.path / "one", tree.path / "a/hard");
	tree.link("../one", "a/soft");
	CHECK(walked(tree).found.size() == 1);
	CHECK(walked(ProgramTree({tree.at("one"), tree.path, tree.at("a/soft")}), tree.path).found == Names{"one"});
}

TEST_CASE("links are followed, and a folder is entered once")
{
	const Tree tree, other;
	tree.folder("a/b");
	tree.program("a/b/one");
	tree.link("../..", "a/b/up");
	tree.link("b", "a/again");
	tree.link("nowhere", "dangling");
	tree.link("self", "self");
	other.program("elsewhere");
	tree.link(other.path, "out");
	const Walked all = walked(tree);
	CHECK(all.found.size() == 2);
	CHECK(std::ranges::count(all.found, "out/elsewhere") == 1);
	CHECK(all.errors.empty());
}

TEST_CASE("what is named is looked at in that order, and must be there")
{
	const Tree tree;
	tree.program("one");
	tree.program("two");
	tree.file("text", "text");
	REQUIRE(::mkfifo(tree.at("pipe").c_str(), 0600) == 0);
	ProgramTree walk({tree.at("two"), tree.at("one"), tree.at("text"), tree.at("pipe"), tree.at("gone")});
	CHECK(walk.next()->value().path == tree.at("two"));
	CHECK(walk.next()->value().path == tree.at("one"));
	CHECK(walk.next()->error().message == tree.at("text") + ": not an ELF file");
	CHECK(walk.next()->error().message == tree.at("pipe") + ": neither a file nor a folder");
	CHECK(walk.next()->error().code == ENOENT);
	CHECK_FALSE(walk.next());
	CHECK_FALSE(walk.next());
}

TEST_CASE("file systems of the kernel's own are not entered")
{
	// This test's own program is there: exe.
	const Walked all = walked(ProgramTree({"/proc/self", "/sys/kernel"}), "/proc/self");
	CHECK(all.found.empty());
	CHECK(all.errors.empty());
	const Tree tree;
	tree.link("/proc/self", "out");
	CHECK(walked(tree).found.empty());
}

TEST_CASE("a walk over what was changed leaves out what was not")
{
	const Tree tree;
	tree.program("one");
	const std::int64_t now = ::time(nullptr);
	CHECK(walked(ProgramTree({tree.path}, now - 10), tree.path).found == Names{"one"});
	CHECK(walked(ProgramTree({tree.path}, now + 10), tree.path).found.empty());
}

TEST_CASE("a walk ends at each of its limits, which is named with the place")
{
	const Tree tree;
	tree.folder("a/b");
	for (const char* name : {"1", "2", "3", "a/4", "a/b/5"})
		tree.program(name);
	const auto end_of = [&](const ProgramTree::Limits& limits) {
		const Walked all = walked(tree, limits);
		REQUIRE(all.errors.size() == 1);
		CHECK(all.errors[0].code == E2BIG);
		CHECK_THAT(all.errors[0].message, Catch::StartsWith(tree.path.string()));
		CHECK_THAT(all.errors[0].message, Catch::EndsWith(": name fewer folders"));
		return std::pair(all.found.size(), all.errors[0].message);
	};
	CHECK(walked(tree, {7, 3, 5, 64}).errors.empty());
	CHECK(walked(tree, {7, 3, 5, 64}).found.size() == 5);
	CHECK_THAT(end_of({6, 3, 5, 64}).second, Catch::Contains("more than 6 files and folders"));
	CHECK_THAT(end_of({7, 2, 5, 64}).second, Catch::Contains("more than 2 folders"));
	const auto [found, message] = end_of({7, 3, 4, 64});
	CHECK(found == 4);
	CHECK_THAT(message, Catch::Contains("more than 4 programs and libraries"));
}

TEST_CASE("a file that is too large is named, and the walk goes on")
{
	const Tree tree;
	tree.program("one");
	tree.program("large");
	fs::resize_file(tree.path / "large", (1 << 20) + 1);
	const Walked all = walked(tree, {9, 9, 9, 1 << 20});
	CHECK(all.found == Names{"one"});
	REQUIRE(all.errors.size() == 1);
	CHECK(all.errors[0].code == EFBIG);
	CHECK(all.errors[0].message == tree.at("large") + ": has more than 1 MiB, so that no table of it is kept");
}

TEST_CASE("a folder that cannot be entered is named, and the walk goes on")
{
	const Tree tree;
	tree.folder("closed");
	tree.program("one");
	std::string deep = tree.path;
	while (deep.size() < 4000)
		deep += "/" + std::string(200, 'd');
	const Walked all = walked(ProgramTree({deep + std::string(200, 'e'), tree.path}), tree.path);
	CHECK(all.found == Names{"one"});
	REQUIRE(all.errors.size() == 1);
	CHECK(all.errors[0].code == ENAMETOOLONG);
}

TEST_CASE("a walk that is stopped finds nothing more")
{
	const Tree tree;
	tree.program("one");
	tree.program("two");
	ProgramTree walk({tree.path});
	CHECK(walk.next());
	walk.stop();
	CHECK_FALSE(walk.next());
}
