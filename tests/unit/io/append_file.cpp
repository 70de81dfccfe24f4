// SPDX-License-Identifier: GPL-2.0
// A file that grows: what is in it when, and what becomes of an older one.
#include <catch2/catch.hpp>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

#include "io/append_file.h"
#include "unit/temporary_folder.h"

using namespace uwind;

namespace {

std::string contents(const std::string& path)
{
	std::ifstream file(path);
	return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

TEST_CASE("a growing file has all that was appended once it is flushed, and counts it before")
{
	const TemporaryFolder folder;
	auto file = AppendFile::create(folder.at("log"), 0600);
	REQUIRE(file);
	REQUIRE(file->append("one "));
	CHECK(file->bytes() == 4);
	REQUIRE(file->append("two"));
	REQUIRE(file->flush());
	CHECK(contents(folder.at("log")) == "one two");
	REQUIRE(file->append("."));
	REQUIRE(file->flush());
	CHECK(contents(folder.at("log")) == "one two.");
	CHECK(file->bytes() == 8);
	struct stat status {};
	REQUIRE(::stat(folder.at("log").c_str(), &status) == 0);
	CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("much is written to a growing file without being asked for")
{
	const TemporaryFolder folder;
	auto file = AppendFile::create(folder.at("log"), 0600);
	REQUIRE(file);
	const std::string line(1000, 'x');
	for (int i = 0; i < 100; i++)
		REQUIRE(file->append(line));
	CHECK(contents(folder.at("log")).size() > 60'000);
	REQUIRE(file->flush());
	CHECK(contents(folder.at("log")).size() == 100'000);
}

TEST_CASE("an older file gives way to a growing one, and is kept beside it")
{
	const TemporaryFolder folder;
	std::ofstream(folder.at("log")) << "older";
	REQUIRE(AppendFile::create(folder.at("log"), 0600));
	CHECK(contents(folder.at("log.old")) == "older");
	CHECK(contents(folder.at("log")).empty());
	CHECK(folder.files() == 2);
}

TEST_CASE("a growing file that cannot be made or written is named")
{
	const TemporaryFolder folder;
	const auto in_none = AppendFile::create(folder.at("none") + "/log", 0600);
	REQUIRE_FALSE(in_none);
	CHECK(in_none.error().code == ENOENT);
	CHECK(in_none.error().message.find("none/log") != std::string::npos);
	const auto folder_itself = AppendFile::create(folder.path, 0600);
	REQUIRE_FALSE(folder_itself);
	CHECK(folder_itself.error().code == EISDIR);

	auto full = AppendFile::create("/dev/full", 0600);
	REQUIRE(full);
	REQUIRE(full->append("x"));
	const auto flushed = full->flush();
	REQUIRE_FALSE(flushed);
	CHECK(flushed.error().code == ENOSPC);
	CHECK(flushed.error().message.find("/dev/full") != std::string::npos);
}
