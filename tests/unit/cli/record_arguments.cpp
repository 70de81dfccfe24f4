// SPDX-License-Identifier: GPL-2.0
// What the options of uwind record describe: the session that the module is asked for.
#include "cli/record_arguments.h"

#include <catch2/catch.hpp>

#include "unit/events/fake_events.h"

using namespace uwind;

namespace {

RecordArguments arguments_of(const std::vector<std::string>& words)
{
	RecordArguments arguments;
	CLI::App app;
	add_record_options(app, arguments);
	std::vector<std::string> reversed(words.rbegin(), words.rend());
	app.parse(reversed);
	return arguments;
}

Result<RecordingOptions> described(const RecordArguments& arguments)
{
	fake::Events machine = fake::machine();
	return options_of(arguments, machine);
}

SessionOptions session_of(std::vector<std::string> words)
{
	words.emplace_back("-a");
	const auto options = described(arguments_of(words));
	INFO((options ? "" : options.error().message));
	REQUIRE(options);
	return options->session;
}

std::string refusal_of(const std::vector<std::string>& words)
{
	const auto options = described(arguments_of(words));
	REQUIRE_FALSE(options);
	CHECK(options.error().code == EINVAL);
	return options.error().message;
}

// How often event I samples: "99 Hz", or "every 5".
std::string rate_in(const SessionOptions& session, std::size_t i)
{
	const Rate rate = rate_of(session.events.at(i), session);
	return rate.is_frequency ? std::to_string(rate.value) + " Hz" : "every " + std::to_string(rate.value);
}

} // namespace

TEST_CASE("a clock alone needs no list of events, and ticks 99 times a second unless another rate is given")
{
	for (const auto& words : {std::vector<std::string>{}, {"-e", "cpu-clock"}}) {
		const SessionOptions session = session_of(words);
		CHECK(session.event == Event::cpu_clock);
		CHECK(session.events.empty());
		CHECK(session.is_frequency);
		CHECK(session.rate == 99);
		CHECK_FALSE(session.user_only);
	}
	CHECK(session_of({"-e", "cpu-clock:u"}).user_only);
	CHECK(session_of({"-e", "cpu-clock:u"}).event == Event::cpu_clock);
	CHECK(session_of({"-F", "7"}).rate == 7);
	const SessionOptions session = session_of({"-c", "2000000"});
	CHECK_FALSE(session.is_frequency);
	CHECK(session.rate == 2'000'000);
}

TEST_CASE("what a clock alone cannot say is listed")
{
	CHECK(session_of({"--kernel-stacks"}).event == Event::listed);
	CHECK(session_of({"--kernel-stacks"}).kernel_stacks);
	CHECK(session_of({"-e", "cpu-clock/period=1000000/"}).event == Event::listed);
	CHECK(session_of({"-e", "task-clock"}).event == Event::listed);
	const SessionOptions session = session_of({"-e", "cpu-clock", "-e", "page-faults,sched:sched_switch"});
	CHECK(session.event == Event::listed);
	REQUIRE(session.events.size() == 3);
	CHECK(session.events[0].name == "cpu-clock");
	CHECK(session.events[2].name == "sched:sched_switch");
}

TEST_CASE("kernel stacks are left out where nothing is counted in the kernel")
{
	const SessionOptions user = session_of({"-e", "cycles:u", "--kernel-stacks"});
	CHECK(user.user_only);
	CHECK_FALSE(user.kernel_stacks);
	const SessionOptions both = session_of({"-e", "cycles:u,instructions", "--kernel-stacks"});
	CHECK_FALSE(both.user_only);
	CHECK(both.kernel_stacks);
}

TEST_CASE("tracepoints sample each time, unless a rate is given to all or to one")
{
	const std::vector<std::string> events = {"-e", "sched:sched_switch,sched:sched_wakeup/period=3/,page-faults"};
	const auto with = [&](const std::vector<std::string>& more) {
		std::vector<std::string> words = events;
		words.insert(words.end(), more.begin(), more.end());
		const SessionOptions session = session_of(words);
		return rate_in(session, 0) + ", " + rate_in(session, 1) + ", " + rate_in(session, 2);
	};
	CHECK(with({}) == "every 1, every 3, 99 Hz");
	CHECK(with({"-F", "7"}) == "7 Hz, every 3, 7 Hz");
	CHECK(with({"-c", "20"}) == "every 20, every 3, every 20");
}

TEST_CASE("requests come with every session: alone they are one without a rate, beside others they are not listed")
{
	const SessionOptions alone = session_of({"-e", "requests"});
	CHECK(alone.event == Event::requests);
	CHECK_FALSE(alone.is_frequency);
	CHECK(alone.rate == 1);
	CHECK(alone.events.empty());
	CHECK(session_of({"-e", "requests,cpu-clock"}).event == Event::cpu_clock);
	const SessionOptions beside = session_of({"-e", "requests", "-e", "page-faults"});
	REQUIRE(beside.events.size() == 1);
	CHECK(beside.events[0].name == "page-faults");
	for (const char* option : {"-F", "-c"})
		CHECK(refusal_of({"-a", "-e", "requests", option, "5"}) ==
		      "-e requests has no frequency and no period: leave out -F and -c");
}

TEST_CASE("a filter is for the event before it")
{
	const SessionOptions session =
		session_of({"-e", "sched:sched_switch", "--filter", "prev_pid > 5", "-e", "sched:sched_wakeup"});
	REQUIRE(session.events.size() == 2);
	CHECK(session.events[0].filter == "prev_pid > 5");
	CHECK(session.events[1].filter.empty());
	CHECK_THROWS_AS(arguments_of({"--filter", "prev_pid > 5", "-e", "sched:sched_switch"}), CLI::ValidationError);
}

TEST_CASE("targets are all processes, some with their children, or a command, which is called by its name alone")
{
	const auto all = described(arguments_of({"-a"}));
	CHECK(all->target == "all");
	CHECK(all->session.all);
	CHECK_FALSE(all->session.inherit);
	const auto some = described(arguments_of({"-p", "12,7", "--exclude-pid", "9"}));
	CHECK(some->target == "pid 12,7");
	CHECK(some->session.inherit);
	CHECK_FALSE(some->session.all);
	CHECK(some->session.targets == std::vector<std::int32_t>{12, 7});
	CHECK(some->session.excludes == std::vector<std::int32_t>{9});
	RecordArguments arguments;
	arguments.command = {"/usr/bin/login", "--password", "secret"};
	const auto command = described(arguments);
	CHECK(command->target == "command /usr/bin/login");
	CHECK(command->session.inherit);
	CHECK(command->session.targets.empty());
}

TEST_CASE("a cgroup or CPUs without processes mean all of them there, and restrict those that are named")
{
	const auto cgroup = described(arguments_of({"-G", "system.slice"}));
	CHECK(cgroup->target == "all");
	CHECK(cgroup->session.all);
	CHECK(cgroup->session.cgroup == "system.slice");
	const auto cpus = described(arguments_of({"-C", "3,0-1"}));
	CHECK(cpus->session.all);
	CHECK(cpus->session.cpus == std::vector<std::uint32_t>{0, 1, 3});
	const auto both = described(arguments_of({"-C", "0", "-p", "5", "--max-depth", "9", "--stack-bytes", "16"}));
	CHECK_FALSE(both->session.all);
	CHECK(both->session.targets == std::vector<std::int32_t>{5});
	CHECK(both->session.max_frames == 9);
	CHECK(both->session.stack_bytes == 16);
}

TEST_CASE("depths of stacks are for who asks for them")
{
	CHECK_FALSE(described(arguments_of({"-a"}))->stack_depth);
	CHECK(described(arguments_of({"-a", "--stack-depth"}))->stack_depth);
}

TEST_CASE("reports have the arguments of processes unless somebody says no")
{
	CHECK_FALSE(described(arguments_of({"-a"}))->no_arguments);
	CHECK(described(arguments_of({"-a", "--no-arguments"}))->no_arguments);
}

TEST_CASE("targets that are missing, contradict each other, or are no processes are refused")
{
	const std::string nothing = "say what to record: -a, -p PID,... or -- COMMAND ARG...";
	CHECK(refusal_of({}) == nothing);
	CHECK(refusal_of({"--exclude-pid", "5"}) == nothing);
	RecordArguments both;
	both.all = true;
	both.command = {"true"};
	CHECK(described(both).error().message == nothing);
	both.all = false;
	both.pids = {5};
	CHECK(described(both).error().message == nothing);
	CHECK(refusal_of({"-p", "5,0"}) == "-p 0: not a process number");
	CHECK(refusal_of({"-a", "--exclude-pid=-3"}) == "--exclude-pid -3: not a process number");
}

TEST_CASE("an event that is none is refused as events are")
{
	CHECK_THAT(refusal_of({"-a", "-e", "cylces"}), Catch::Contains("cycles"));
	CHECK_THAT(refusal_of({"-a", "-e", ""}), !Catch::Equals(""));
}
