// SPDX-License-Identifier: GPL-2.0
// The service's own keeping of tables, against fakes: when it looks at what, and who comes first.
#include <catch2/catch.hpp>

#include <cerrno>

#include "app/background_keeper.h"
#include "unit/fake_machine.h"

using namespace uwind;
using std::chrono::milliseconds;

namespace {

struct BackgroundWorld {
	FakeFiles files;
	FakeThreads threads;
	FakeClock clock;
	std::shared_ptr<FakeObjects> objects = std::make_shared<FakeObjects>(files);
	std::vector<std::string> names;

	void add(const std::string& name)
	{
		files.add(name);
		names.push_back(name);
	}
	BackgroundKeeper::MakePass pass()
	{
		return [this](std::int64_t changed_since_s) -> Result<std::unique_ptr<TableKeeper>> {
			std::lock_guard lock(mutex);
			asked.push_back(changed_since_s);
			if (refuses)
				return Error{EPERM, "/cache can be written to by others"};
			return std::make_unique<TableKeeper>(objects, std::make_unique<FakeProgramFiles>(files, names),
							     [](const Error&) {});
		};
	}
	std::vector<std::int64_t> passes()
	{
		std::lock_guard lock(mutex);
		return asked;
	}

	std::mutex mutex;
	std::vector<std::int64_t> asked; // the passes: changed since when
	bool refuses = false;
};

template <typename Condition>
bool comes_true(const Condition& condition)
{
	for (int i = 0; i < 12'000 && !condition(); i++)
		std::this_thread::sleep_for(milliseconds(10));
	return condition();
}

// A pass has begun, and no file of it may.
void begin_held(BackgroundKeeper& keeper, BackgroundWorld& world)
{
	world.add("/one");
	keeper.hold(true);
	keeper.begin(world.pass());
	REQUIRE(comes_true([&] { return world.passes().size() == 1; }));
}

} // namespace

TEST_CASE("the first pass is over all files, the later ones over what was changed since")
{
	BackgroundWorld world;
	world.add("/one");
	world.add("/two");
	BackgroundKeeper keeper(world.threads, world.clock, milliseconds(10));
	CHECK(world.threads.waiting_ == 0); // no thread without need
	keeper.begin(world.pass());
	REQUIRE(comes_true([&] { return world.passes().size() >= 3; }));
	const auto passes = world.passes();
	CHECK(passes[0] == 0);
	CHECK(passes[1] == world.clock.seconds_since_1970() - 1);
	CHECK(passes[2] == passes[1]);
	CHECK(world.threads.waiting_ == 1);
	CHECK(keeper.kept() >= 2);
}

TEST_CASE("begun again, the next pass is over all files, and begun with none, there is no further one")
{
	BackgroundWorld world;
	world.add("/one");
	BackgroundKeeper keeper(world.threads, world.clock);
	keeper.begin(world.pass());
	REQUIRE(comes_true([&] { return keeper.kept() == 1; }));
	keeper.begin(world.pass());
	REQUIRE(comes_true([&] { return world.passes() == std::vector<std::int64_t>{0, 0}; }));
	REQUIRE(comes_true([&] { return keeper.kept() == 1; }));
	keeper.begin(nullptr);
	CHECK(keeper.kept() == 0);
	std::this_thread::sleep_for(milliseconds(30));
	CHECK(world.passes().size() == 2);
}

TEST_CASE("begun with none, a pass that is on its way counts no more")
{
	BackgroundWorld world;
	std::promise<void> allowed; // goes before the keeper, whose thread waits for it
	world.add("/one");
	world.add("/two");
	world.files.files_["/two"].table_waits = allowed.get_future();
	BackgroundKeeper keeper(world.threads, world.clock);
	keeper.begin(world.pass());
	REQUIRE(comes_true([&] { return keeper.kept() == 1; }));
	keeper.begin(nullptr);
	CHECK(keeper.kept() == 0);
	allowed.set_value();
	bool has_ended = false;
	REQUIRE(comes_true([&] { return has_ended |= keeper.take_ended(); }));
	CHECK(keeper.kept() == 0);
}

TEST_CASE("begun with none as a pass is about to begin, there is no pass")
{
	BackgroundWorld world;
	BackgroundKeeper keeper(world.threads, world.clock);
	for (int i = 0; i < 2'000; i++) {
		keeper.begin(world.pass());
		keeper.begin(nullptr);
	}
	CHECK(keeper.kept() == 0);
}

TEST_CASE("as long as a recording needs tables, none is made ahead")
{
	BackgroundWorld world;
	BackgroundKeeper keeper(world.threads, world.clock);
	begin_held(keeper, world);
	std::this_thread::sleep_for(milliseconds(30));
	CHECK(world.objects->opened_ == 0);
	keeper.hold(false);
	CHECK(comes_true([&] { return keeper.kept() == 1; }));
}

TEST_CASE("who waits for its end lets it run as others do")
{
	BackgroundWorld world;
	{
		BackgroundKeeper keeper(world.threads, world.clock);
		begin_held(keeper, world);
	}
	CHECK(world.threads.let_run_ >= 1);
	CHECK(world.objects->opened_ == 0);
}

TEST_CASE("where no table can be kept, it does not try again until it is begun again")
{
	BackgroundWorld world;
	world.refuses = true;
	BackgroundKeeper keeper(world.threads, world.clock, milliseconds(5));
	keeper.begin(world.pass());
	REQUIRE(comes_true([&] { return world.passes().size() == 1; }));
	std::this_thread::sleep_for(milliseconds(50));
	CHECK(world.passes().size() == 1);
	keeper.begin(world.pass());
	CHECK(comes_true([&] { return world.passes().size() == 2; }));
}
