// SPDX-License-Identifier: GPL-2.0
// What becomes of files whose tables are kept ahead, against fakes.
#include <catch2/catch.hpp>

#include <cerrno>
#include <thread>

#include "app/table_keeper.h"
#include "unit/fake_machine.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

using Names = std::vector<std::string>;

struct KeeperWorld {
	FakeFiles files;
	std::shared_ptr<FakeObjects> objects = std::make_shared<FakeObjects>(files);
	Names complaints;

	FakeFile& add(const std::string& name)
	{
		names.push_back(name);
		return files.add(name);
	}
	std::unique_ptr<TableKeeper> keeper()
	{
		return std::make_unique<TableKeeper>(
			objects, std::make_unique<FakeProgramFiles>(files, names),
			[this](const Error& error) { complaints.push_back(error.message); });
	}
	KeepCounts run()
	{
		const auto keeping = keeper();
		keeping->work();
		CHECK(keeping->wait_until_done(milliseconds(0)));
		return keeping->counts();
	}

	Names names;
};

} // namespace

TEST_CASE("every file counts as what became of it")
{
	KeeperWorld world;
	world.add("/new");
	world.add("/old").kept = true;
	world.add("/bare").refused = Error{ENODATA, "nothing says how"};
	world.add("/mips").refused = Error{ENOEXEC, "it is for another machine"};
	world.add("/broken").refused = Error{EBADMSG, "program header 3: lies"};
	world.names.push_back("/gone");
	world.add("/last");
	const KeepCounts counts = world.run();
	CHECK(counts.files == 6);
	CHECK(counts.made == 2);
	CHECK(counts.before == 1);
	CHECK(counts.without == 1);
	CHECK(counts.others == 1);
	CHECK(counts.failed == 2);
	CHECK(counts.failure == EBADMSG);
	CHECK_FALSE(counts.full);
	CHECK_FALSE(counts.stopped);
	CHECK(world.complaints == Names{"/broken: program header 3: lies", "/gone"});
	CHECK(in_words(counts) == "6 files: 2 tables made, 1 kept already, 1 without unwind information, "
				  "1 of other machines or no programs, 2 failed");
	CHECK(world.run().before == 3);
}

TEST_CASE("once the folder is full no further table is made, and the rest is counted")
{
	KeeperWorld world;
	world.add("/one");
	world.add("/two").stored = Error{ENOSPC, "/cache is full"};
	world.add("/three");
	world.add("/four");
	const KeepCounts counts = world.run();
	CHECK(counts.made == 1);
	CHECK(counts.left == 3);
	REQUIRE(counts.full);
	CHECK(counts.full->message == "/cache is full");
	CHECK(world.objects->opened_ == 2);
	CHECK(in_words(counts) == "4 files: 1 table made, 3 not looked at");
}

TEST_CASE("a table that is too large alone is complained of, and the rest is made")
{
	KeeperWorld world;
	world.add("/large").stored = Error{EFBIG, "too large"};
	world.add("/two");
	const KeepCounts counts = world.run();
	CHECK(counts.failed == 1);
	CHECK(counts.made == 1);
	CHECK(world.complaints == Names{"/large: too large"});
}

TEST_CASE("several threads do each file once")
{
	KeeperWorld world;
	for (int i = 0; i < 500; i++)
		world.add("/" + std::to_string(i));
	const auto keeper = world.keeper();
	{
		std::vector<std::jthread> threads;
		for (int i = 0; i < 4; i++)
			threads.emplace_back([&] { keeper->work(); });
		while (!keeper->wait_until_done(milliseconds(10)))
			;
		CHECK(keeper->counts().made == 500);
	}
	CHECK(keeper->counts().before == 0);
}

TEST_CASE("on hold no file is begun, until it goes on or is stopped")
{
	KeeperWorld world;
	world.add("/one");
	world.add("/two");
	const auto keeper = world.keeper();
	keeper->hold(true);
	std::jthread thread([&] { keeper->work(); });
	CHECK_FALSE(keeper->wait_until_done(milliseconds(30)));
	CHECK(keeper->counts().files == 0);
	SECTION("it goes on")
	{
		keeper->hold(false);
		CHECK(keeper->wait_until_done(milliseconds(120'000)));
		CHECK(keeper->counts().made == 2);
	}
	SECTION("it is stopped")
	{
		keeper->stop();
		CHECK(keeper->wait_until_done(milliseconds(120'000)));
		CHECK(keeper->counts().files == 0);
		CHECK(in_words(keeper->counts()) == "0 files: 0 tables made; stopped before the end");
	}
}

TEST_CASE("stopped after its last file, it was not stopped before the end")
{
	KeeperWorld world;
	world.add("/one");
	const auto keeper = world.keeper();
	keeper->work();
	keeper->stop();
	CHECK_FALSE(keeper->counts().stopped);
}
