// SPDX-License-Identifier: GPL-2.0
// Chrome's trace events, read back as a viewer does: begins and ends nest, and last as long as samples say.
#include "export/chrome_trace.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "unit/export/any_report.h"

using namespace uwind;
using Json = nlohmann::json;
using Lines = std::vector<std::string>;

namespace {

constexpr std::uint64_t ms = 1'000'000;

Json written(const Report& report)
{
	std::ostringstream out;
	write_chrome_trace(report, out);
	return Json::parse(out.str());
}

std::uint64_t ns_of(const Json& event)
{
	return static_cast<std::uint64_t>(std::llround(event.at("ts").get<double>() * 1000));
}

// "BEGIN-END NAME" in ms, in the order of the ends; a viewer's rules hold.
Lines slices_in(const Json& file)
{
	struct Open {
		std::string name;
		std::uint64_t begin;
	};
	std::map<std::uint64_t, std::vector<Open>> open; // by thread
	std::map<std::uint64_t, std::uint64_t> last;
	Lines slices;
	for (const Json& event : file.at("traceEvents")) {
		const std::string phase = event.at("ph");
		if (phase != "B" && phase != "E")
			continue;
		const std::uint64_t tid = event.at("tid"), at = ns_of(event);
		CHECK(at >= last[tid]);
		last[tid] = at;
		if (phase == "B") {
			open[tid].push_back({event.at("name"), at});
			continue;
		}
		REQUIRE_FALSE(open[tid].empty());
		const Open& begun = open[tid].back();
		CHECK(begun.name == event.at("name").get<std::string>());
		slices.push_back(std::to_string(begun.begin / ms) + "-" + std::to_string(at / ms) + " " + begun.name);
		open[tid].pop_back();
	}
	for (const auto& [tid, frames] : open)
		CHECK(frames.empty());
	return slices;
}

// Frames 0 to 4 are leaf, main and three without names; stacks {0, 1, 2}, {3, 4}, {1, 2}.
Report clock_report(SampleList samples)
{
	Report report = sample_report();
	report.frames[2].symbol = "_start";
	report.session.events = {{"cpu-clock", true, 100}};
	for (ReportSample& sample : samples) {
		sample.event = 0;
		sample.period = 10 * ms;
	}
	report.samples = std::move(samples);
	return report;
}

} // namespace

TEST_CASE("frames that neighbouring samples have in common are one slice")
{
	CHECK(slices_in(written(clock_report({sample_of(0, 100 * ms, 0, 1), sample_of(0, 110 * ms, 2, 1)}))) ==
	      Lines{"90-100 leaf", "90-110 main", "90-110 _start"});
	// Not quite on time.
	CHECK(slices_in(written(clock_report({sample_of(0, 100 * ms, 0, 1), sample_of(0, 113 * ms, 2, 1)}))) ==
	      Lines{"90-100 leaf", "90-113 main", "90-113 _start"});
	CHECK(slices_in(written(clock_report({sample_of(0, 100 * ms, 2, 1), sample_of(0, 107 * ms, 0, 1)}))) ==
	      Lines{"100-107 leaf", "90-107 main", "90-107 _start"});
}

TEST_CASE("a thread that executes another program stays the same, and its frames end")
{
	Report report = clock_report(
		{sample_of(1, 110 * ms, 2, 1), sample_of(0, 105 * ms, 2, 1), sample_of(0, 100 * ms, 2, 1)});
	report.samples[0].pid = report.samples[0].tid = 10;
	const Json file = written(report);
	CHECK(slices_in(file) == Lines{"90-105 main", "90-105 _start", "105-110 main", "105-110 _start"});
	Lines names;
	for (const Json& event : file.at("traceEvents"))
		if (event.at("ph") == "M")
			names.push_back(event.at("args").at("name"));
	CHECK(names == Lines{"we;ird\n", "we;ird? 10/10"});
}

TEST_CASE("frames end with what a sample stands for, if the thread's next one comes later")
{
	CHECK(slices_in(written(clock_report({sample_of(0, 100 * ms, 2, 1), sample_of(0, 200 * ms, 2, 1)}))) ==
	      Lines{"90-100 main", "90-100 _start", "190-200 main", "190-200 _start"});
}

TEST_CASE("a time off the CPU is as long as it was, and an event of a frequency as its period")
{
	Report report = clock_report({sample_of(0, 500 * ms, 2, 1), sample_of(1, 100 * ms, 2, 1)});
	report.session.events = {{"offcpu", false, 1}, {"cycles", true, 200}};
	report.off_cpu.push_back({});
	report.samples[0].off_cpu = 0;
	report.samples[0].period = 300 * ms;
	report.samples[1].event = 1;
	report.samples[1].period = 123'456;
	CHECK(slices_in(written(report)) == Lines{"200-500 main", "200-500 _start", "95-100 main", "95-100 _start"});
}

TEST_CASE("a return of a function is its call, and what has no length is a moment with its stack")
{
	Report report = clock_report({sample_of(0, 100 * ms, 2, 1), sample_of(0, 50 * ms, 0, 1)});
	report.session.events = {{"func:vfs_read:ret", false, 1}, {"page-faults", false, 1}};
	report.functions.push_back({});
	report.calls.push_back({0, true, 30 * ms, 0, {}});
	report.samples[0].call = 0;
	report.samples[1].event = 1;
	const Json file = written(report);
	CHECK(slices_in(file) == Lines{"70-100 main", "70-100 _start"});
	Lines moments;
	for (const Json& event : file.at("traceEvents"))
		if (event.at("ph") == "i")
			moments.push_back(event.at("name").get<std::string>() + " " +
					  std::to_string(ns_of(event) / ms) + " " +
					  event.at("args").at("stack").dump());
	CHECK(moments == Lines{R"(page-faults 50 ["_start","main","leaf"])"});
}

TEST_CASE("slices of any report nest, none begins before the one before it has ended, and all threads have names")
{
	std::mt19937 random(3);
	for (int i = 0; i < 100; i++) {
		const Json file = written(any_report(random));
		slices_in(file);
		std::map<std::string, std::size_t> names;
		for (const Json& event : file.at("traceEvents"))
			names[event.at("name")] += event.at("ph") == "M";
		CHECK(names["thread_name"] > 0);
		CHECK(names["thread_name"] == names["process_name"]);
	}
}
