// SPDX-License-Identifier: GPL-2.0
// What a selection leaves of a report.
#include <catch2/catch.hpp>

#include "export/selection.h"

using namespace uwind;

namespace {

// Samples 0 to 3, a second apart: of programs one and two by turns; the last two of event 1, in the kernel.
Report four_samples()
{
	Report report;
	report.session.events = {{"cycles:u", true, 99}, {"sched:sched_switch", false, 1}};
	report.processes.resize(2);
	report.processes[0].comm = "one";
	report.processes[1].comm = "two";
	report.modules.resize(2);
	report.modules[0].path = "/lib/libc.so.6";
	report.modules[1].path = "[kernel.kallsyms]";
	report.frames.resize(3);
	report.frames[0].module = 0;
	report.frames[0].symbol = "malloc";
	report.frames[1].module = 1;
	report.frames[1].symbol = "schedule";
	report.stacks.resize(3);
	for (Index i = 0; i < 3; i++)
		report.stacks[i].frames = {i};
	for (std::uint32_t i = 0; i < 4; i++) {
		ReportSample sample;
		sample.time_ns = 5'000'000'000 + i * 1'000'000'000ull;
		sample.process = i % 2;
		sample.pid = 100 + i % 2;
		sample.cookie = i;
		sample.event = i / 2;
		sample.user_stack = i == 0 ? 2 : 0;
		if (i >= 2)
			sample.kernel_stack = 1;
		report.samples.push_back(sample);
	}
	return report;
}

// The cookies of what is left.
std::vector<std::uint64_t> left(const Selection& selection)
{
	Report report = four_samples();
	REQUIRE(select_samples(report, selection));
	std::vector<std::uint64_t> cookies;
	for (const auto& sample : report.samples)
		cookies.push_back(sample.cookie);
	return cookies;
}

using Cookies = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("without a selection all samples are shown")
{
	CHECK(left({}) == Cookies{0, 1, 2, 3});
}

TEST_CASE("samples are selected by event, program, process, time, module and symbol")
{
	CHECK(left({.events = {"cycles:u"}}) == Cookies{0, 1});
	CHECK(left({.events = {"sched:*"}}) == Cookies{2, 3});
	CHECK(left({.comms = {"t?o"}}) == Cookies{1, 3});
	CHECK(left({.pids = {100}}) == Cookies{0, 2});
	CHECK(left({.pids = {100, 101}}) == Cookies{0, 1, 2, 3});
	CHECK(left({.from_s = 1}) == Cookies{1, 2, 3});
	CHECK(left({.from_s = 1, .to_s = 3}) == Cookies{1, 2});
	CHECK(left({.modules = {"libc.so*"}}) == Cookies{1, 2, 3});
	CHECK(left({.modules = {"/lib/libc.so.6"}}) == Cookies{1, 2, 3});
	CHECK(left({.symbols = {"schedule"}}) == Cookies{2, 3});
	CHECK(left({.symbols = {"mal*", "schedule"}}) == Cookies{1, 2, 3});
}

TEST_CASE("a sample satisfies all of it")
{
	CHECK(left({.comms = {"two"}, .symbols = {"schedule"}}) == Cookies{3});
	CHECK(left({.pids = {100}, .from_s = 0.5}) == Cookies{2});
	CHECK(left({.comms = {"three"}}).empty());
}

TEST_CASE("an event that the report does not have is refused, with those that it has")
{
	Report report = four_samples();
	const auto status = select_samples(report, {.events = {"cycels"}});
	REQUIRE_FALSE(status);
	CHECK(status.error().message.ends_with("it has cycles:u, sched:sched_switch"));
	report.session.events.clear();
	CHECK_FALSE(select_samples(report, {.events = {"cycles"}}));
}

TEST_CASE("where no stack is there, none has what is asked for")
{
	Report report = four_samples();
	report.frames.clear();
	report.stacks.clear();
	for (ReportSample& sample : report.samples)
		sample.user_stack = sample.kernel_stack = std::nullopt;
	REQUIRE(select_samples(report, {.symbols = {"malloc"}}));
	CHECK(report.samples.empty());
}
