// SPDX-License-Identifier: GPL-2.0
// The service from its start to its end, against fakes: what it tells its supervisor,
// and what becomes of settings that are read again.
#include <catch2/catch.hpp>

#include "app/service.h"
#include "base/cpu_list.h"
#include "unit/fake_machine.h"

using namespace uwind;

namespace {

using Lines = std::vector<std::string>;

// Twenty seconds pass in one.
class FastClock : public Clock {
public:
	std::uint64_t boottime_ns() override { return 20 * clock_.boottime_ns(); }
	std::int64_t seconds_since_1970() override { return 1'700'000'000 + seconds_++; }

private:
	FakeClock clock_;
	std::int64_t seconds_ = 0;
};

// Everything around a service. A script says what happens at each report.
struct ServiceWorld : Requests, Supervisor, ReportStore {
	bool stop() override { return stop_; }
	bool take_reload() override { return std::exchange(reload_, false); }

	void ready() override { told.push_back("ready"); }
	void reloading() override { told.push_back("reloading"); }
	void stopping() override { told.push_back("stopping"); }
	void status(const std::string& text) override { statuses.push_back(text); }
	void alive() override { signs_of_life++; }

	Status open(const std::string& folder, std::size_t keep) override
	{
		if (folder == "/full")
			return Error{EACCES, "/full: no"};
		opened.push_back(folder + " " + std::to_string(keep));
		return Nothing{};
	}

	Status store(const Report& report) override
	{
		reports.push_back(std::to_string(report.session.rate) + " Hz");
		last_session = report.session;
		if (at_report)
			at_report(reports.size());
		return disk_full ? Status(Error{ENOSPC, "full"}) : Status(Nothing{});
	}

	void reload(const Result<Settings>& wanted)
	{
		next = wanted;
		reload_ = true;
	}

	ServicePorts ports()
	{
		return {*this,
			*this,
			*this,
			[this](const Settings&) { return open_outside(); },
			[this] { return next; },
			[](const Report& report) { return "in words: " + std::to_string(report.session.rate); }};
	}

	std::vector<std::string> paths()
	{
		std::lock_guard lock(mutex);
		return paths_kept;
	}

	Result<std::unique_ptr<Outside>> open_outside();
	Status run(const Settings& settings) { return Service(ports(), settings).run(); }

	FastClock clock;
	Result<Settings> next = Settings();
	Lines told, statuses, opened, reports;
	ReportSession last_session;
	std::function<void(std::size_t)> at_report;
	std::atomic<int> signs_of_life = 0;
	int machines_made = 0, machines_open = 0;
	std::uint64_t refused_rate = 0; // the module takes any other
	bool stop_ = false, reload_ = false, disk_full = false, module_gone = false;
	int memory_given_back = 0;
	FakeFiles programs; // each path is one
	std::mutex mutex;
	std::vector<std::string> paths_kept; // one for each pass: of what tables are kept
};

class PickyKernel : public FakeKernel {
public:
	Result<StartedSession> start_session(const SessionOptions& options) override
	{
		if (options.rate == refused_rate_)
			return Error{ENODEV, "this machine has no such event"};
		return FakeKernel::start_session(options);
	}

	std::uint64_t refused_rate_ = 0;
};

class FakeOutside : public Outside {
public:
	explicit FakeOutside(ServiceWorld& world) : world_(world)
	{
		kernel_.refused_rate_ = world.refused_rate;
		world.machines_open++;
	}
	~FakeOutside() override { world_.machines_open--; }

	Ports ports() override
	{
		Ports ports = machine_.ports();
		return {kernel_,      ports.stream,  ports.processes, ports.objects,
			world_.clock, ports.threads, ports.unwinder,  ports.kernel_names};
	}
	Result<Keeping> keeping(const std::vector<std::string>& paths, std::int64_t changed_since_s) override
	{
		std::lock_guard lock(world_.mutex);
		std::string pass = std::to_string(changed_since_s) + ":";
		for (const std::string& path : paths)
			pass += " " + path;
		world_.paths_kept.push_back(pass);
		return Keeping{std::make_shared<FakeObjects>(world_.programs),
			       std::make_unique<FakeProgramFiles>(world_.programs, paths)};
	}
	void give_back_memory() override { world_.memory_given_back++; }

private:
	ServiceWorld& world_;
	FakeMachine machine_;
	PickyKernel kernel_;
};

Result<std::unique_ptr<Outside>> ServiceWorld::open_outside()
{
	if (module_gone)
		return Error{ENXIO, "the kernel module is not loaded"};
	machines_made++;
	return std::unique_ptr<Outside>(std::make_unique<FakeOutside>(*this));
}

Settings one_second()
{
	Settings settings;
	settings.interval_s = 1;
	return settings;
}

} // namespace

TEST_CASE("the service is ready once it samples, reports at its interval, and says when it stops")
{
	ServiceWorld world;
	world.at_report = [&](std::size_t number) { world.stop_ = number >= 2; };
	REQUIRE(world.run(one_second()));
	CHECK(world.told == Lines{"ready", "stopping"});
	CHECK(world.opened == Lines{"/var/lib/uwind/reports 360"});
	CHECK(world.reports == Lines{"99 Hz", "99 Hz", "99 Hz"}); // the last one: what was left
	CHECK(world.statuses == Lines{"in words: 99", "in words: 99", "in words: 99"});
	CHECK(world.signs_of_life >= 2);
	CHECK(world.machines_open == 0);
}

TEST_CASE("without the module the service fails, and was never ready")
{
	ServiceWorld world;
	world.module_gone = true;
	const auto status = world.run(one_second());
	REQUIRE_FALSE(status);
	CHECK(status.error().code == ENXIO);
	CHECK(world.told.empty());
}

TEST_CASE("a service that cannot write its reports does not begin")
{
	ServiceWorld world;
	Settings settings = one_second();
	settings.folder = "/full";
	CHECK_FALSE(world.run(settings));
	CHECK(world.machines_made == 0);
}

TEST_CASE("a full disk loses reports, and the service goes on")
{
	ServiceWorld world;
	world.disk_full = true;
	world.at_report = [&](std::size_t number) { world.stop_ = number >= 2; };
	CHECK(world.run(one_second()));
	CHECK(world.reports.size() == 3);
}

TEST_CASE("settings that are read again hold without a new session, if none is needed")
{
	ServiceWorld world;
	Settings wanted = one_second();
	wanted.folder = "/elsewhere";
	wanted.keep = 5;
	world.at_report = [&](std::size_t number) {
		if (number == 1)
			world.reload(wanted);
		world.stop_ = number >= 2;
	};
	REQUIRE(world.run(one_second()));
	CHECK(world.told == Lines{"ready", "reloading", "ready", "stopping"});
	CHECK(world.opened == Lines{"/var/lib/uwind/reports 360", "/elsewhere 5"});
	CHECK(world.machines_made == 1);
}

TEST_CASE("another frequency is a new session: the old one's last report is kept")
{
	ServiceWorld world;
	Settings wanted = one_second();
	wanted.frequency = 499;
	world.at_report = [&](std::size_t number) {
		if (number == 1)
			world.reload(wanted);
		world.stop_ = number >= 3;
	};
	REQUIRE(world.run(one_second()));
	CHECK(world.reports == Lines{"99 Hz", "99 Hz", "499 Hz", "499 Hz"});
	CHECK(world.told == Lines{"ready", "reloading", "ready", "stopping"});
	CHECK(world.machines_open == 0);
}

TEST_CASE("another cgroup, other processors or another depth are a new session")
{
	ServiceWorld world;
	Settings wanted = one_second();
	SECTION("a cgroup")
	{
		wanted.cgroup = "/system.slice";
	}
	SECTION("processors")
	{
		wanted.cpus = {0, 2};
	}
	SECTION("a depth")
	{
		wanted.max_depth = 10;
	}
	world.at_report = [&](std::size_t number) {
		if (number == 1)
			world.reload(wanted);
		world.stop_ = number >= 3;
	};
	REQUIRE(world.run(one_second()));
	CHECK(world.machines_made == 3); // one of them was to try
	CHECK(world.last_session.cgroup == wanted.cgroup);
	CHECK(world.last_session.cpus == text_of_cpus(wanted.cpus));
	CHECK(world.last_session.max_depth == (wanted.max_depth == 10 ? 10 : 0));
}

TEST_CASE("settings that cannot hold are refused as a whole, and the old ones stay")
{
	ServiceWorld world;
	Settings wanted = one_second();
	wanted.keep = 5;
	Result<Settings> answer = wanted;
	SECTION("a wrong line in the file")
	{
		answer = Error{EBADMSG, "uwindd.conf:1: there is no key 'kep'"};
	}
	SECTION("an event or a rate that the module does not take")
	{
		wanted.frequency = world.refused_rate = 12;
		answer = wanted;
	}
	SECTION("a folder that cannot be written")
	{
		wanted.folder = "/full";
		wanted.frequency = 499;
		answer = wanted;
	}
	world.at_report = [&](std::size_t number) {
		if (number == 1)
			world.reload(answer);
		world.stop_ = number >= 2;
	};
	REQUIRE(world.run(one_second()));
	CHECK(world.reports == Lines{"99 Hz", "99 Hz", "99 Hz"});
	CHECK(world.opened == Lines{"/var/lib/uwind/reports 360"});
	CHECK(world.told == Lines{"ready", "reloading", "ready", "stopping"});
}

TEST_CASE("tables of what the configuration names are kept while it samples, and the supervisor learns how many")
{
	ServiceWorld world;
	world.programs.add("/a");
	world.programs.add("/b");
	Settings settings = one_second();
	settings.keep_tables = {"/a", "/b"};
	world.at_report = [&](std::size_t number) {
		world.stop_ = number >= 200 || !world.statuses.empty() &&
						       world.statuses.back() == "in words: 99; 2 tables kept ahead" &&
						       world.memory_given_back;
	};
	REQUIRE(world.run(settings));
	CHECK(world.statuses.back() == "in words: 99; 2 tables kept ahead");
	CHECK(world.memory_given_back == 1);
	CHECK(world.paths() == Lines{"0: /a /b"});
}

TEST_CASE("without folders that the configuration names, nothing is looked at")
{
	ServiceWorld world;
	world.at_report = [&](std::size_t number) { world.stop_ = number >= 3; };
	REQUIRE(world.run(one_second()));
	CHECK(world.paths().empty());
}

TEST_CASE("when the configuration is read again all tables are looked at again, by its new names")
{
	ServiceWorld world;
	for (const char* name : {"/a", "/b"})
		world.programs.add(name);
	Settings settings = one_second();
	settings.keep_tables = {"/a"};
	Settings wanted = settings;
	Lines passes{"0: /a", "0: /b"};
	int machines = 1;
	wanted.keep_tables = {"/b"};
	SECTION("in the same session") {}
	SECTION("in another one")
	{
		wanted.frequency = 499;
		machines = 3; // one of them was to try
	}
	SECTION("none any more")
	{
		wanted.keep_tables.clear();
		passes.pop_back();
	}
	world.at_report = [&](std::size_t number) {
		if (number == 5)
			world.reload(wanted);
		world.stop_ = number >= (passes.size() == 1 ? 20 : 200) || world.paths().size() == 2;
	};
	REQUIRE(world.run(settings));
	CHECK(world.paths() == passes);
	CHECK(world.machines_made == machines);
}

TEST_CASE("a service that is stopped before it samples still ends well")
{
	ServiceWorld world;
	world.stop_ = true;
	REQUIRE(world.run(one_second()));
	CHECK(world.told.back() == "stopping");
	CHECK(world.reports.size() == 1);
}
