// SPDX-License-Identifier: GPL-2.0
// Tables that are kept before a bash runs are those that a recording finds.
#include <catch2/catch.hpp>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>

#include "app/table_keeper.h"
#include "app/table_maker.h"
#include "io/procfs.h"
#include "io/program_tree.h"
#include "objects/elf_objects.h"
#include "unit/fake_machine.h"
#include "unit/temporary_folder.h"

using namespace uwind;
namespace fs = std::filesystem;

namespace {

constexpr const char* bash = "/bin/bash";

// A folder with programs, and a cache.
struct KeptPlace {
	TemporaryFolder folder;
	fs::path programs = folder.path / "programs";
	std::vector<std::string> complaints;

	KeptPlace() { fs::create_directories(programs); }
	fs::path add(const fs::path& from, const char* name) const
	{
		fs::copy_file(from, programs / name);
		return programs / name;
	}
	// As after a start of its own.
	TableCache cache(std::uint64_t max_bytes = CacheFolder::default_bytes) const
	{
		auto opened = CacheFolder::open(folder.path / "cache", max_bytes);
		REQUIRE(opened);
		const auto key = opened->key();
		REQUIRE(key);
		return TableCache(std::move(*opened), *key);
	}
	KeepCounts keep(const TableCache& cache)
	{
		const auto objects = std::make_shared<ElfObjects>(std::string(debug_folder), cache.sparing(0));
		TableKeeper keeper(objects, std::make_unique<ProgramTree>(std::vector<std::string>{programs}),
				   [this](const Error& error) { complaints.push_back(error.message); });
		keeper.work();
		return keeper.counts();
	}
	KeepCounts keep() { return keep(cache()); }
	std::size_t kept() const
	{
		return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path / "cache"), {})) - 1;
	}
};

// A recording's way from a path to the module: what it counts.
Counts recorded(const KeptPlace& place, const std::string& path)
{
	FakeMachine machine;
	ElfObjects objects{std::string(debug_folder), place.cache()};
	Procfs procfs;
	Modules modules;
	TableShelf shelf(machine.unwinder);
	EventCounter events;
	TableMaker maker(machine.ports(), modules, shelf, events);
	auto file = procfs.open_path(path);
	REQUIRE(file);
	OpenedModule opened{modules.add(file->identity, path).id, std::make_shared<UniqueFd>(std::move(file->fd)),
			    path};
	maker.make(with_object(std::move(opened), objects, modules));
	CHECK(machine.kernel.table_count() == 1);
	return events.counts();
}

} // namespace

TEST_CASE("a recording takes the table that was kept ahead, and makes none")
{
	KeptPlace place;
	const fs::path file = place.add(bash, "bash");
	SECTION("kept ahead")
	{
		const KeepCounts counts = place.keep();
		CHECK(counts.files == 1);
		CHECK(counts.made == 1);
		CHECK(place.kept() == 1);
		CHECK(recorded(place, file)["tables_kept"] == 1);
		CHECK(place.kept() == 1);
	}
	SECTION("a recording was first")
	{
		CHECK(recorded(place, file)["tables_kept"] == 0);
		CHECK(place.keep().before == 1);
		CHECK(place.kept() == 1);
	}
}

TEST_CASE("what is kept already is not made again, unless its bytes are others")
{
	KeptPlace place;
	const fs::path file = place.add(bash, "bash");
	place.add("/bin/cat", "cat");
	CHECK(place.keep().made == 2);
	CHECK(place.keep().before == 2);
	fs::remove(file);
	place.add("/bin/ls", "bash");
	const KeepCounts counts = place.keep();
	CHECK(counts.made == 1);
	CHECK(counts.before == 1);
}

TEST_CASE("what has no table leaves nothing, and what is broken is named with the reason")
{
	KeptPlace place;
	const fs::path other = place.add(bash, "other"), object = place.add(bash, "object"),
		       broken = place.add(bash, "broken"), debug = place.programs / "debug";
	REQUIRE(std::system(("objcopy --only-keep-debug " + std::string(bash) + " " + debug.string()).c_str()) == 0);
	const auto put = [](const fs::path& path, std::streamoff at, char byte) {
		std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
		file.seekp(at);
		file.put(byte);
		REQUIRE(file.flush());
	};
	put(other, 18, 8);  // e_machine: EM_MIPS
	put(object, 16, 1); // e_type: ET_REL
	fs::resize_file(broken, 4096);
	const KeepCounts counts = place.keep();
	CHECK(counts.others == 3);
	CHECK(counts.failed == 1);
	CHECK(counts.failure == EBADMSG);
	REQUIRE(place.complaints.size() == 1);
	CHECK_THAT(place.complaints[0], Catch::StartsWith(broken.string() + ": "));
	CHECK(counts.made == 0);
	CHECK(place.kept() == 0);
}

TEST_CASE("a cache that is full keeps what was just made")
{
	KeptPlace place;
	constexpr std::uint64_t all = 8;
	for (const char* name : {"cat", "cp", "dd", "ln", "ls", "mkdir", "mv", "rm"})
		place.add(fs::path("/bin") / name, name);
	REQUIRE(place.keep().made == all);
	const std::uint64_t bytes = place.cache().folder().bytes();
	fs::remove_all(place.folder.path / "cache");
	const KeepCounts counts = place.keep(place.cache(bytes - 1));
	REQUIRE(counts.full);
	CHECK(counts.full->code == ENOSPC);
	CHECK_THAT(counts.full->message, Catch::StartsWith(fs::canonical(place.folder.path / "cache").string() +
							   " is full: its limit is 0 MiB"));
	CHECK(counts.left == 1);
	CHECK(counts.made == all - 1);
	CHECK(place.kept() == counts.made);
	// Nothing was removed: what was made first is there.
	CHECK(place.keep(place.cache(bytes - 1)).before == all - 1);
}
