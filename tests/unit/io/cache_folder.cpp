// SPDX-License-Identifier: GPL-2.0
// The folder of what can be made again: its bound, and who may write to it.
#include <algorithm>
#include <catch2/catch.hpp>

#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

#include "io/cache_folder.h"
#include "unit/temporary_folder.h"

using namespace uwind;
namespace fs = std::filesystem;

namespace {

struct Folder : TemporaryFolder {
	std::string cache() const { return path / "cache/tables"; }
};

using Content = std::vector<std::uint8_t>;

int code_of(const std::string& path)
{
	const auto opened = CacheFolder::open(path);
	return opened ? 0 : opened.error().code;
}

} // namespace

TEST_CASE("what is stored is found, also by whoever opens the folder later")
{
	const Folder folder;
	const auto cache = CacheFolder::open(folder.cache());
	REQUIRE(cache);
	REQUIRE(cache->store("a", Content{1, 2, 3}));
	REQUIRE(cache->store("a", Content{4, 5}));
	CHECK(std::ranges::equal(Bytes(*cache->find("a")), Content{4, 5}));
	CHECK_FALSE(cache->find("b"));
	const auto later = CacheFolder::open(folder.cache());
	REQUIRE(later);
	CHECK(std::ranges::equal(Bytes(*later->find("a")), Content{4, 5}));
	struct stat status {};
	REQUIRE(::stat(folder.cache().c_str(), &status) == 0);
	CHECK((status.st_mode & 07777) == 0700);
}

TEST_CASE("a folder keeps its key")
{
	const Folder folder;
	const auto cache = CacheFolder::open(folder.cache());
	REQUIRE(cache);
	const auto key = cache->key();
	REQUIRE(key);
	CHECK(*key != Digest::Key{});
	const auto later = CacheFolder::open(folder.cache())->key();
	REQUIRE(later);
	CHECK(*later == *key);
	const auto other = CacheFolder::open(folder.path / "other")->key();
	REQUIRE(other);
	CHECK(*other != *key);
	fs::resize_file(folder.cache() + "/key", 31);
	CHECK(cache->key().error().code == EBADMSG);
}

TEST_CASE("a folder may be named from where the program runs")
{
	const Folder folder;
	const fs::path before = fs::current_path();
	fs::current_path(folder.path);
	const auto cache = CacheFolder::open("cache/tables");
	fs::current_path(before);
	REQUIRE(cache);
	CHECK(cache->path() == folder.cache());
}

TEST_CASE("a full folder loses what was not used for longest")
{
	const Folder folder;
	const auto cache = CacheFolder::open(folder.cache(), 1000);
	REQUIRE(cache);
	const auto key = cache->key();
	REQUIRE(key);
	for (const char* name : {"a", "b", "c", "d"}) {
		REQUIRE(cache->store(name, Content(240)));
		std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the file system's clock ticks
	}
	REQUIRE(cache->find("a"));
	std::this_thread::sleep_for(std::chrono::milliseconds(20));
	REQUIRE(cache->store("e", Content(240)));
	CHECK(cache->find("a"));
	CHECK_FALSE(cache->find("b"));
	CHECK_FALSE(cache->find("c"));
	CHECK(cache->find("d"));
	CHECK(cache->find("e"));
	CHECK(cache->store("f", Content(251)).error().code == EFBIG);
	CHECK(*cache->key() == *key);
}

TEST_CASE("who stores ahead removes what was not used for long, and nothing else")
{
	const Folder folder;
	const auto cache = CacheFolder::open(folder.cache(), 1000);
	REQUIRE(cache);
	for (const char* name : {"a", "b", "c"})
		REQUIRE(cache->store(name, Content(240)));
	std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the file system's clock ticks
	const CacheFolder sparing = cache->sparing(cache_clock_ns());
	REQUIRE(cache->find("a"));
	REQUIRE(sparing.store("d", Content(240)));
	CHECK(cache->bytes() == 960);
	REQUIRE(sparing.store("e", Content(240)));
	REQUIRE(sparing.store("f", Content(240)));
	CHECK(cache->bytes() == 960);
	CHECK(cache->find("a"));
	CHECK_FALSE(cache->find("b"));
	CHECK_FALSE(cache->find("c"));
	const Status refused = sparing.store("g", Content(240));
	REQUIRE_FALSE(refused);
	CHECK(refused.error().code == ENOSPC);
	CHECK_THAT(refused.error().message, Catch::StartsWith(cache->path() + " is full: "));
	REQUIRE(sparing.store("h", Content(40)));
	for (const char* name : {"a", "d", "e", "f", "h"})
		CHECK(cache->find(name));
	REQUIRE(cache->store("g", Content(240))); // a recording removes anything
	CHECK(cache->bytes() <= 1000);
}

TEST_CASE("who stores ahead never goes beyond the limit, however many there are")
{
	const Folder folder;
	const auto cache = CacheFolder::open(folder.cache(), 100'000);
	REQUIRE(cache);
	const CacheFolder sparing = cache->sparing(0);
	std::vector<std::jthread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back([&sparing, i] {
			for (int j = 0; j < 50; j++)
				(void)sparing.store(std::to_string(i * 100 + j), Content(700));
		});
	threads.clear();
	CHECK(cache->bytes() == 142 * 700);
}

TEST_CASE("a folder that others may write to, or move, is refused")
{
	const Folder folder;
	REQUIRE(CacheFolder::open(folder.cache()));
	const mode_t mode = GENERATE(0770, 0702, 01777);
	REQUIRE(::chmod(folder.cache().c_str(), mode) == 0);
	CHECK(code_of(folder.cache()) == EPERM);
	REQUIRE(::chmod(folder.cache().c_str(), 0700) == 0);
	CHECK(code_of(folder.cache()) == 0);
	REQUIRE(::chmod((folder.path / "cache").c_str(), 0777) == 0);
	CHECK(code_of(folder.cache()) == EPERM);
	REQUIRE(::chmod((folder.path / "cache").c_str(), 01777) == 0);
	CHECK(code_of(folder.cache()) == 0);
	CHECK(code_of("/proc/cache") != 0);
	CHECK(code_of("/etc/passwd") == ENOTDIR);
}
