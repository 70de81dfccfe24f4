// SPDX-License-Identifier: GPL-2.0
// speedscope's format, read back: each stack of each program counts what its samples say.
#include "export/speedscope.h"

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text.h"
#include "export/folded.h"
#include "unit/export/any_report.h"

using namespace uwind;
using Json = nlohmann::json;

namespace {

using Totals = std::map<std::string, std::uint64_t>;

Json written(const Report& report)
{
	std::ostringstream out;
	write_speedscope(report, out);
	return Json::parse(out.str());
}

// By program, and the stack from outside.
Totals totals_in(const Json& file)
{
	Totals totals;
	for (const Json& profile : file.at("profiles")) {
		const auto& samples = profile.at("samples");
		const auto& weights = profile.at("weights");
		REQUIRE(samples.size() == weights.size());
		std::uint64_t sum = 0;
		for (std::size_t i = 0; i < samples.size(); i++) {
			std::string name = profile.at("name");
			std::string text = name.substr(0, name.rfind(' '));
			for (const Json& frame : samples[i])
				text += ";" + file.at("shared")
						      .at("frames")
						      .at(frame.get<std::size_t>())
						      .at("name")
						      .get<std::string>();
			totals[text] += weights[i].get<std::uint64_t>();
			sum += weights[i].get<std::uint64_t>();
		}
		CHECK(profile.at("startValue") == 0);
		CHECK(profile.at("endValue") == sum);
	}
	return totals;
}

Totals totals_of(const Report& report)
{
	Totals totals;
	for (const ReportSample& sample : report.samples) {
		if (!sample.has_stack())
			continue;
		std::string text = printable(report.processes[sample.process].comm);
		for (const auto& stack : {sample.user_stack, sample.kernel_stack})
			if (stack)
				for (auto frame = report.stacks[*stack].frames.rbegin();
				     frame != report.stacks[*stack].frames.rend(); ++frame)
					text += ";" + frame_text(report, *frame);
		totals[text] += sample.period.value_or(sample.weight);
	}
	return totals;
}

} // namespace

TEST_CASE("speedscope finds each program's stacks, and the time of each")
{
	std::mt19937 random(2);
	for (int i = 0; i < 100; i++) {
		const Report report = any_report(random);
		const Json file = written(report);
		CHECK(totals_in(file) == totals_of(report));
		for (const Json& profile : file.at("profiles")) {
			CHECK(profile.at("unit") == "nanoseconds");
			CHECK(profile.at("type") == "sampled");
		}
	}
}

TEST_CASE("samples whose events are not known, or no clock's, have no unit in speedscope")
{
	Report report = sample_report();
	CHECK(totals_in(written(report)) == totals_of(report));
	CHECK(written(report).at("profiles").at(0).at("unit") == "none");
	report.session.events = {{"page-faults:u", false, 1}};
	for (ReportSample& sample : report.samples) {
		sample.event = 0;
		sample.period = 7;
	}
	CHECK(written(report).at("profiles").at(0).at("unit") == "none");
	CHECK(totals_in(written(report)) == totals_of(report));
	report.session.events = {{"task-clock:u", false, 1}};
	CHECK(written(report).at("profiles").at(0).at("unit") == "nanoseconds");
}

TEST_CASE("speedscope has a profile for each thread of each image, its samples in the order of time, and the frames' "
	  "files")
{
	Report report = sample_report();
	report.samples = {sample_of(1, 30, 1, 1), sample_of(0, 20, 0, 1), sample_of(0, 10, 2, 2),
			  sample_of(0, 5, {}, 9)};
	const Json file = written(report);
	const Json& profiles = file.at("profiles");
	REQUIRE(profiles.size() == 2);
	CHECK(profiles[0].at("name") == "prog 10/10");
	CHECK(profiles[0].at("samples") == Json::parse("[[2,1],[2,1,0]]"));
	CHECK(profiles[0].at("weights") == Json::parse("[2,1]"));
	CHECK(profiles[1].at("name") == "we;ird? 11/11");
	CHECK(file.at("shared").at("frames").at(0) == Json{{"name", "leaf"}, {"file", "/bin/prog"}});
	CHECK(file.at("shared").at("frames").at(4) == Json{{"name", "[0xdead]"}});
	CHECK(file.at("exporter") == "uwind 0.1.0");
	report.samples.clear();
	CHECK(written(report).at("profiles").empty());
}
