// SPDX-License-Identifier: GPL-2.0
// Tables that were made before are those that would be made now, or they are not used.
#include <catch2/catch.hpp>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "objects/elf_objects.h"
#include "objects/table_file.h"
#include "unit/skipped.h"
#include "unit/temporary_folder.h"

using namespace uwind;
namespace fs = std::filesystem;

namespace {

constexpr const char* program = "/bin/bash";

std::optional<FileStamp> no_stamp(int)
{
	return std::nullopt;
}

std::optional<FileStamp> same_stamp(int)
{
	return FileStamp{1, 2, 3, 4, 5};
}

// A folder with a copy of a program, and a cache.
class CachePlace {
public:
	explicit CachePlace(TableCache::Stamps stamps = no_stamp) : stamps_(stamps) { copy(program); }

	void copy(const fs::path& from) const { fs::copy_file(from, file(), fs::copy_options::overwrite_existing); }
	fs::path file() const { return folder_.path / "file"; }

	// As after a start of its own.
	std::unique_ptr<Object> open()
	{
		auto folder = CacheFolder::open(folder_.path / "cache");
		REQUIRE(folder);
		const auto key = folder->key();
		REQUIRE(key);
		objects_.push_back(std::make_unique<ElfObjects>(std::string(debug_folder),
								TableCache(std::move(*folder), *key, stamps_)));
		return opened(*objects_.back());
	}
	FileContent table()
	{
		const auto content = open()->table();
		REQUIRE(content);
		return *content;
	}
	FileContent fresh() const
	{
		ElfObjects objects;
		const auto content = opened(objects)->table();
		REQUIRE(content);
		return *content;
	}

	std::vector<fs::path> kept() const
	{
		std::vector<fs::path> files;
		for (const auto& entry : fs::directory_iterator(folder_.path / "cache"))
			if (entry.path().filename() != "key")
				files.push_back(entry.path());
		return files;
	}

private:
	std::unique_ptr<Object> opened(ElfObjects& objects) const
	{
		auto fd = std::make_shared<UniqueFd>(::open(file().c_str(), O_RDONLY | O_CLOEXEC));
		REQUIRE(*fd);
		auto object = objects.open(std::move(fd));
		REQUIRE(object);
		return std::move(*object);
	}

	TableCache::Stamps stamps_;
	TemporaryFolder folder_;
	std::vector<std::unique_ptr<ElfObjects>> objects_;
};

void flip(const fs::path& path, std::uint64_t at)
{
	std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
	file.seekg(static_cast<std::streamoff>(at));
	const int byte = file.get();
	file.seekp(static_cast<std::streamoff>(at));
	file.put(static_cast<char>(byte ^ 1));
	REQUIRE(file.flush());
}

ElfHeader section(const fs::path& path, std::string_view name)
{
	const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
	const auto file = ElfFile::open(fd.get());
	REQUIRE(file);
	for (const ElfHeader& header : file->headers())
		if (header.name == name)
			return header;
	FAIL("there is no " << name);
	return {};
}

// A row's advance in the last FDE: the rows still make sense.
std::uint64_t in_cfi(const fs::path& path)
{
	const ElfHeader header = section(path, ".eh_frame");
	return header.offset + header.bytes - 8;
}

void check_equal(const FileContent& left, const FileContent& right)
{
	const auto& one = std::get<TableRows>(left.content);
	const auto& other = std::get<TableRows>(right.content);
	CHECK(one.rows == other.rows);
	CHECK(one.rules == other.rules);
	CHECK(one.method == other.method);
	CHECK(one.arch == other.arch);
	CHECK(one.inexpressible == other.inexpressible);
	CHECK(left.sframe_refused == right.sframe_refused);
}

KeptTable small_table()
{
	SframeSection section;
	section.bytes = {1, 2, 3};
	section.address = 0x1000;
	section.segments = {{1, 2, 3}, {4, 5, 6}};
	return {{{16, 2}, {64, 8}}, {1, 2, 3}, FileStamp{1, 2, 3, 4, 5}, {section, "no", false}};
}

} // namespace

TEST_CASE("a table that was kept is the one that would be made")
{
	CachePlace place;
	for (const char* path : {"/bin/bash", "/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6",
				 "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1", "/usr/bin/python3"}) {
		if (!fs::exists(path))
			continue;
		INFO(path);
		place.copy(path);
		CHECK_FALSE(place.table().kept);
		const FileContent again = place.table();
		CHECK(again.kept);
		check_equal(again, place.fresh());
	}
}

TEST_CASE("a byte that the table follows from makes it another one")
{
	CachePlace place;
	place.table();
	flip(place.file(), in_cfi(place.file()));
	CHECK_FALSE(place.table().kept);
	CHECK(place.table().kept);
	flip(place.file(), in_cfi(place.file()));
	CHECK_FALSE(place.table().kept); // the other one has its place
}

TEST_CASE("of a file that is unchanged since, no byte is read again")
{
	CachePlace place(same_stamp);
	place.table();
	flip(place.file(), in_cfi(place.file())); // as if nobody had
	CHECK(place.table().kept);
}

TEST_CASE("another file with the same bytes has the table, and is the one that is known from then on")
{
	static std::uint64_t inode;
	CachePlace place([](int) { return std::optional(FileStamp{1, inode, 3, 4, 5}); });
	inode = 1;
	place.table();
	inode = 2;
	CHECK(place.table().kept);
	flip(place.file(), in_cfi(place.file()));
	CHECK(place.table().kept);
	inode = 1;
	CHECK_FALSE(place.table().kept);
}

TEST_CASE("a file that changes while its table is made is known by its bytes, not by its stamp")
{
	static std::uint64_t inode;
	CachePlace place([](int) { return std::optional(FileStamp{1, inode, 3, 4, 5}); });
	inode = 1;
	const auto early = place.open();
	inode = 2;
	REQUIRE(early->table());
	flip(place.file(), in_cfi(place.file()));
	inode = GENERATE(1, 2);
	CHECK_FALSE(place.table().kept);
}

TEST_CASE("of more places than a log has room for, it is not whole")
{
	const std::uint8_t byte = 1;
	ReadLog log;
	for (std::uint64_t at = 0; at < ReadLog::max_pieces; at++)
		log.add(at, Bytes(&byte, 1));
	CHECK(log.whole());
	log.add(0, Bytes(&byte, 1));
	CHECK(log.whole());
	log.add(ReadLog::max_pieces, Bytes(&byte, 1));
	CHECK_FALSE(log.whole());
}

TEST_CASE("a file's stamp says nothing of a file that has just been written")
{
	const CachePlace place;
	const UniqueFd fresh(::open(place.file().c_str(), O_RDONLY | O_CLOEXEC));
	CHECK_FALSE(stamp_of(fresh.get()));
	const UniqueFd old(::open(program, O_RDONLY | O_CLOEXEC));
	struct stat status {};
	REQUIRE(::fstat(old.get(), &status) == 0);
	if (major(status.st_dev) == 0 && !skipped("this root has no disk"))
		return;
	REQUIRE(stamp_of(old.get()));
	CHECK(stamp_of(old.get())->inode == status.st_ino);
	CHECK(stamp_of(old.get()) == stamp_of(old.get()));
}

TEST_CASE("a byte that nobody looks at does not matter")
{
	CachePlace place;
	place.table();
	const ElfHeader names = section(place.file(), ".gnu_debuglink");
	flip(place.file(), names.offset + names.bytes - 1);
	CHECK(place.table().kept);
}

TEST_CASE("a file that changes while its table is made is kept as what was read")
{
	CachePlace place;
	const auto early = place.open();
	flip(place.file(), in_cfi(place.file()));
	REQUIRE(early->table());
	flip(place.file(), in_cfi(place.file()));
	const FileContent now = place.table();
	CHECK_FALSE(now.kept);
	check_equal(now, place.fresh());
}

TEST_CASE("a damaged file of the cache is not used, and replaced")
{
	CachePlace place;
	place.table();
	REQUIRE(place.kept().size() == 1);
	const fs::path kept = place.kept()[0];
	const std::uintmax_t bytes = fs::file_size(kept);
	const std::uintmax_t at = GENERATE(0, 7, 8, 41, 1000);
	flip(kept, at);
	CHECK_FALSE(place.table().kept);
	CHECK(place.table().kept);
	fs::resize_file(kept, bytes - 1);
	CHECK_FALSE(place.table().kept);
	fs::resize_file(kept, 0);
	CHECK_FALSE(place.table().kept);
	CHECK(place.table().kept);
}

TEST_CASE("a file without a table leaves nothing in the cache")
{
	CachePlace place;
	std::ofstream(place.file()) << "#!/bin/sh\n";
	CHECK_FALSE(place.open()->table());
	CHECK(place.kept().empty());
}

TEST_CASE("a table's file is read as it was written, or not at all")
{
	const KeptTable table = small_table();
	const Digest::Key key{1, 2, 3};
	const std::vector<std::uint8_t> bytes = bytes_of(table, key);
	const auto again = table_in(bytes, key);
	REQUIRE(again);
	CHECK(bytes_of(*again, key) == bytes);
	CHECK_FALSE(table_in(bytes, Digest::Key{}));
	CHECK(again->content.kept);
	CHECK(again->stamp == table.stamp);
	CHECK(again->content.sframe_refused == "no");
	CHECK(std::get<SframeSection>(again->content.content).segments.size() == 2);
	for (std::size_t length = 0; length < bytes.size(); length++)
		CHECK_FALSE(table_in(Bytes(bytes).first(length), key));
	for (std::size_t at = 0; at < bytes.size(); at++) {
		std::vector<std::uint8_t> changed = bytes;
		changed[at] ^= 1;
		CHECK_FALSE(table_in(changed, key));
	}
}
