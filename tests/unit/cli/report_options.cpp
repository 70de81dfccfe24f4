// SPDX-License-Identifier: GPL-2.0
// The options of uwind report that choose samples and forms, as a shell gives them.
#include <catch2/catch.hpp>

#include <set>
#include <sstream>

#include "unit/cli/programs.h"
#include "unit/temporary_folder.h"

using namespace uwind;
using namespace programs;

namespace {

ReportSample sample_at(std::uint64_t s, Index process, Index event, Index user_stack)
{
	ReportSample sample;
	sample.time_ns = (5 + s) * 1'000'000'000;
	sample.process = process;
	sample.pid = sample.tid = 100 + process;
	sample.weight = 1;
	sample.cookie = s;
	sample.event = event;
	sample.user_stack = user_stack;
	sample.period = 1;
	return sample;
}

// Cookies 0 to 3, a second apart, of programs one and "two b" by turns: main, main called malloc, and twice that with
// the kernel's schedule, as another event.
Report four_samples()
{
	Report report;
	report.session.events = {{"cycles/event=1,umask=2/u", true, 99}, {"sched:sched_switch", false, 1}};
	report.processes = {{100, "one", "", 0, 64}, {101, "two b", "", 0, 64}};
	report.modules = {
		{"/bin/one", "", {}, 0, 0}, {"/lib/libc.so.6", "", {}, 0, 0}, {"[kernel.kallsyms]", "", {}, 0, 0}};
	report.frames = {{0x1000, 0, 0x1000, "main", 0, false},
			 {0x2000, 1, 0x2000, "malloc", 0, false},
			 {0xffffffff81000000, 2, 0, "schedule", 0, true}};
	report.stacks = {{{0}, {Method::PC}, {{}}, Stop::OUTERMOST},
			 {{1, 0}, {Method::PC, Method::EH_FRAME}, {{}, {}}, Stop::OUTERMOST},
			 {{2}, {Method::PC}, {{}}, Stop::OUTERMOST}};
	report.samples = {sample_at(0, 0, 0, 0), sample_at(1, 1, 0, 1), sample_at(2, 0, 1, 1), sample_at(3, 1, 1, 1)};
	report.samples[2].kernel_stack = report.samples[3].kernel_stack = 2;
	return report;
}

Outcome shown(const std::string& options, const Report& report = four_samples())
{
	const ReportFile file(report);
	return run("uwind", std::string("report -i ") + file.path + " " + options);
}

// The cookies of the samples that the options leave, which are the first words of lines.
std::set<int> left(const std::string& options)
{
	const Outcome outcome = shown("--format cookies " + options);
	INFO(options << ": " << outcome.output);
	CHECK(outcome.status == 0);
	std::istringstream lines(outcome.output);
	std::set<int> cookies;
	for (std::string line; std::getline(lines, line);)
		cookies.insert(std::stoi(line));
	return cookies;
}

using Cookies = std::set<int>;

} // namespace

TEST_CASE("an output that is called perf.data is one")
{
	if (!programs_are_built())
		return;
	const TemporaryFolder folder;
	const ReportFile report([] {
		Report recorded = four_samples();
		recorded.host.arch = "x86_64";
		return recorded;
	}());
	const std::string made = folder.at("perf.data"), again = folder.at("again.perf.data"),
			  json = folder.at("data.json");
	REQUIRE(run("uwind", std::string("report --format perf-data -i ") + report.path + " -o " + made).status == 0);
	REQUIRE(run("uwind", "convert " + made + " -o " + again).status == 0);
	REQUIRE(run("uwind", "convert " + made + " -o " + json).status == 0);
	const auto begins = [](const std::string& path) {
		std::string bytes(8, ' ');
		std::ifstream(path).read(bytes.data(), 8);
		return bytes;
	};
	CHECK(begins(made) == "PERFILE2");
	CHECK(begins(again) == "PERFILE2");
	CHECK(begins(json).starts_with("{"));
}

TEST_CASE("the end of an output's name says what it is, and --format the same")
{
	if (!programs_are_built())
		return;
	const TemporaryFolder folder;
	const ReportFile report([] {
		Report recorded = four_samples();
		recorded.host.arch = "x86_64";
		return recorded;
	}());
	const auto contents = [](const std::string& path) {
		std::ifstream in(path, std::ios::binary);
		return std::string(std::istreambuf_iterator<char>(in), {});
	};
	const std::string recording = folder.at("perf.data");
	REQUIRE(run("uwind", std::string("report --format perf-data -i ") + report.path + " -o " + recording).status ==
		0);
	const std::pair<const char*, const char*> forms[] = {{"a.pb.gz", "pprof"},         {"a.pprof", "pprof"},
							     {"pprof", "pprof"},           {"a.otlp", "otlp"},
							     {"a.otlp.json", "otlp-json"}, {"a.json", "json"}};
	REQUIRE(run("uwind", "convert " + recording + " -o " + folder.at("json")).status == 0);
	for (const auto& [name, format] : forms) {
		INFO(name);
		REQUIRE(run("uwind", "convert " + recording + " -o " + folder.at(name)).status == 0);
		REQUIRE(run("uwind",
			    "report -i " + folder.at("json") + " --format " + format + " -o " + folder.at("by_format"))
				.status == 0);
		CHECK(!contents(folder.at(name)).empty());
		CHECK(contents(folder.at(name)) == contents(folder.at("by_format")));
	}
}

TEST_CASE("inlined functions are lines of pprof's and OTLP's places, unless --no-inline is given")
{
	Report report = four_samples();
	report.frames[0].inlined = {{"within", {"/src/within.h", 3}}};
	for (const char* format : {"--format otlp-json", "--format otlp"}) {
		CHECK_THAT(shown(format, report).output, Catch::Contains("within"));
		CHECK_THAT(shown(std::string(format) + " --no-inline", report).output,
			   Catch::Contains("schedule") && !Catch::Contains("within"));
	}
}

TEST_CASE("options of a report choose samples, one by one")
{
	if (!programs_are_built())
		return;
	CHECK(left("") == Cookies{0, 1, 2, 3});
	CHECK(left("--event sched:sched_switch") == Cookies{2, 3});
	CHECK(left("-e cycles/event=1,umask=2/u") == Cookies{0, 1});
	CHECK(left("-e 'cycles/*' -e 'sched:*'") == Cookies{0, 1, 2, 3});
	CHECK(left("--comm one") == Cookies{0, 2});
	CHECK(left("--comm 'one,two b'") == Cookies{0, 1, 2, 3});
	CHECK(left("--comm 'two*'") == Cookies{1, 3});
	CHECK(left("-p 100") == Cookies{0, 2});
	CHECK(left("--pid 100,101") == Cookies{0, 1, 2, 3});
	CHECK(left("--pid 7").empty());
	CHECK(left("--time 1,3") == Cookies{1, 2});
	CHECK(left("--time 2,") == Cookies{2, 3});
	CHECK(left("--time ,1.5") == Cookies{0, 1});
	CHECK(left("--module libc.so.6") == Cookies{1, 2, 3});
	CHECK(left("--module '/lib/*'") == Cookies{1, 2, 3});
	CHECK(left("--module '[kernel.kallsyms]'") == Cookies{2, 3});
	CHECK(left("--module '[kernel.kallsyms],one'") == Cookies{0, 1, 2, 3});
	CHECK(left("--comm '[n-p]ne'") == Cookies{0, 2});
	CHECK(left("--symbol malloc") == Cookies{1, 2, 3});
	CHECK(left("--symbol 'sched*' --symbol none") == Cookies{2, 3});
}

TEST_CASE("options of a report choose together what satisfies each of them")
{
	if (!programs_are_built())
		return;
	CHECK(left("--comm one --time 1,") == Cookies{2});
	CHECK(left("-p 101 --symbol malloc -e 'sched:*'") == Cookies{3});
	CHECK(left("--comm one --pid 101").empty());
	CHECK(left("--module libc.so.6 --symbol schedule --time ,3") == Cookies{2});
	CHECK(left("--time 0,1 --module libc.so.6").empty());
	CHECK(left("-e 'cycles*' --symbol schedule").empty());
}

TEST_CASE("sums are those of the first of several events, and a line says so, unless one is chosen")
{
	if (!programs_are_built())
		return;
	const std::string note =
		"uwind: only event cycles/event=1,umask=2/u of 2 is shown: --event NAME shows another, or "
		"several\n";
	CHECK(shown("--format folded 2>/dev/null #").output == "one;main 1\ntwo b;main;malloc 1\n");
	CHECK_THAT(shown("--format folded").output, Catch::Contains(note));
	CHECK_THAT(shown("--format summary").output, Catch::Contains(note));
	CHECK_THAT(shown("--format perf-script").output, Catch::Contains(note) && !Catch::Contains("schedule"));
	CHECK(shown("--format folded -e 'sched:*'").output ==
	      "one;main;malloc;schedule_[k] 1\ntwo b;main;malloc;schedule_[k] 1\n");
	CHECK(shown("--format folded -e '*' --comm one").output == "one;main 1\none;main;malloc;schedule_[k] 1\n");
	std::ostringstream json;
	write_json(four_samples(), json);
	CHECK(shown("--format json").output == json.str());
}

TEST_CASE("a report is checked, and what is wrong with it is named")
{
	if (!programs_are_built())
		return;
	const Outcome valid = shown("--check");
	CHECK(valid.status == 0);
	CHECK_THAT(valid.output, Catch::EndsWith(" is valid: 4 samples, 3 stacks of 3 frames\n"));
	Report wrong = four_samples();
	wrong.counters.requested = 5;
	wrong.samples[2].weight = 0;
	const Outcome refused = shown("--check", wrong);
	CHECK(refused.status == 64);
	CHECK_THAT(refused.output,
		   Catch::Contains("counters: 5 requested, but 0 answered, lost and pending\nuwind: ") &&
			   Catch::EndsWith(": samples[2]: has no weight\n"));
	for (const char* options : {"--check --format json", "--check -p 7", "--check --changes"})
		CHECK_THAT(shown(options).output, Catch::Contains("--check looks at all of a report"));
}

TEST_CASE("depths are no sums: those of all events are shown, unless some are chosen")
{
	if (!programs_are_built())
		return;
	Report report = four_samples();
	report.stacks[1].stack_bytes = {48, {}};
	const std::string head =
		"PROGRAM               PID      TID   SAMPLES        DEPTH       MAPPED        LIMIT\n";
	const std::string all = shown("--format stack-depth", report).output;
	CHECK_THAT(all, Catch::StartsWith(head + "one                   100      100         2           48"));
	CHECK_THAT(all, Catch::Contains("\n  0)        48        48   malloc+0x0  libc.so.6\n"));
	const std::string chosen = shown("--format stack-depth -e 'cycles*' -p 100", report).output;
	CHECK_THAT(chosen, Catch::StartsWith(head + "one                   100      100         1            0"));
	report.stack_depth = true;
	const Outcome json = shown("--format json -e 'cycles*' -p 100", report);
	CHECK_THAT(json.output,
		   Catch::Contains("{\"process\": 0, \"pid\": 100, \"tid\": 100, \"bytes\": 0, \"exact\": true"));
}

TEST_CASE("inverted stacks begin with the innermost frame, of what is chosen")
{
	if (!programs_are_built())
		return;
	CHECK(shown("--format folded --inverted -e 'sched:*' -p 100").output == "one;schedule_[k];malloc;main 1\n");
	const std::string refused = "uwind: --inverted is for --format folded\n";
	for (const char* options : {"--inverted", "--inverted --format perf-script", "--inverted --format json"}) {
		const Outcome outcome = shown(options);
		CHECK(outcome.status == 64);
		CHECK(outcome.output == refused);
	}
}

TEST_CASE("a time that is none is refused, with what one looks like")
{
	if (!programs_are_built())
		return;
	for (const char* wrong : {"5", "a,b", "1,b", "-1,2", "1,-2", "1,2,3", "5x,", "nan,", "20,10", "5,5", "1:2"}) {
		const Outcome outcome = shown(std::string("--format folded --time=") + wrong);
		INFO(wrong << ": " << outcome.output);
		CHECK(outcome.status == 64);
		CHECK_THAT(outcome.output,
			   Catch::Contains("is no time: give seconds since the first sample, for example "
					   "10,20 or 10, or ,20"));
	}
}

TEST_CASE("what a report does not have, or what is no number or form, is refused by name")
{
	if (!programs_are_built())
		return;
	const Outcome event = shown("--event sched:sched_swich");
	CHECK(event.status == 64);
	CHECK(event.output == "uwind: no event of this report has that name: it has cycles/event=1,umask=2/u, "
			      "sched:sched_switch\n");
	for (const char* wrong : {"-p one", "-p ''", "--pid 1x", "--format perf", "--format perf_script",
				  "--comm one two", "--symbol", "--module", "--comm", "--nonsense", "extra"}) {
		const Outcome outcome = shown(wrong);
		INFO(wrong << ": " << outcome.output);
		CHECK(outcome.status == 64);
		CHECK_FALSE(outcome.output.empty());
	}
}

TEST_CASE("a report for programs that read perf script goes to a file too, and is refused where it would be too long")
{
	if (!programs_are_built())
		return;
	const TemporaryFolder folder;
	CHECK(shown("--format perf-script -e 'sched:*' -p 101 -o " + folder.at("script")).output.empty());
	std::ifstream file(folder.at("script"));
	const std::string text((std::istreambuf_iterator<char>(file)), {});
	CHECK(text == "two_b      101/101     [000]     8.000000:          1 sched:sched_switch: \n"
		      "\tffffffff81000000 schedule+0x0 ([kernel.kallsyms])\n"
		      "\t            2000 malloc+0x0 (/lib/libc.so.6)\n"
		      "\t            1000 main+0x0 (/bin/one)\n"
		      "\n");
	Report heavy = four_samples();
	heavy.samples[0].weight = (16 << 20) + 1;
	const Outcome refused = shown("--format perf-script -e 'cycles*'", heavy);
	CHECK(refused.status == 64);
	CHECK_THAT(refused.output,
		   Catch::StartsWith("uwind: perf-script would be 16777218 records, of at most 16777216: "));
}
