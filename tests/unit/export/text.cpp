// SPDX-License-Identifier: GPL-2.0
// Folded stacks, the summary, the closing line and the module's status, as text.
#include <catch2/catch.hpp>

#include <sstream>

#include "export/calls.h"
#include "export/folded.h"
#include "export/status.h"
#include "export/summary.h"
#include "export/tally.h"
#include "export/waits.h"
#include "unit/export/sample_report.h"

using namespace uwind;

TEST_CASE("folded stacks are comm, outermost to innermost, and the weight")
{
	std::ostringstream out;
	write_folded(sample_report(), out);
	CHECK(out.str() == "prog;[0xdead];[\"q\"+0x10] 1\n"
			   "prog;[prog+0x1200];main 4\n"
			   "prog;[prog+0x1200];main;leaf 2\n"
			   "we:ird?;[0xdead];[\"q\"+0x10] 1\n");
}

TEST_CASE("folded times off the CPU are microseconds, and clocks' beside them")
{
	Report report = sample_report();
	report.off_cpu.emplace_back();
	report.samples.resize(2);
	report.samples[0].off_cpu = 0;
	report.samples[0].period = 7'000'999;
	report.samples[1].period = 2'000;
	std::ostringstream out;
	write_folded(report, out);
	CHECK(out.str().find("leaf 7000\n") != std::string::npos);
	CHECK(out.str().find("+0x10] 2\n") != std::string::npos);
}

TEST_CASE("times off the CPU are added up by program, reason and who ended them, and by whom those waited")
{
	Report report = sample_report();
	report.samples.resize(3);
	constexpr std::uint64_t ms = 1'000'000;
	const auto away = [&](std::size_t i, std::uint32_t tid, std::uint64_t from_ms, std::uint64_t to_ms) -> auto&
	{
		report.samples[i].tid = tid;
		report.samples[i].time_ns = to_ms * ms;
		report.samples[i].period = (to_ms - from_ms) * ms;
		report.samples[i].off_cpu = static_cast<Index>(report.off_cpu.size());
		return report.off_cpu.emplace_back();
	};
	report.off_cpu.reserve(3);
	auto& waits = away(0, 1, 100, 200);
	waits.reason = "lock";
	waits.wait_channel = "futex_wait";
	waits.waker = ReportWaker{1, 11, 2, false, {}, {}};
	auto& holds = away(1, 2, 120, 190);
	holds.reason = "sleep";
	holds.waker = ReportWaker{0, 10, 9, true, {}, {}};
	away(2, 2, 191, 195).reason = "preempted";
	std::ostringstream out;
	write_waits(report, out);
	CHECK(out.str().find("prog                  0.100        1  lock       futex_wait               we;ird? < "
			     "interrupt\n") != std::string::npos);
	CHECK(out.str().find("  sleep                               interrupt\n") != std::string::npos);
	CHECK(out.str().find("0.004        1  preempted\n") != std::string::npos);
	std::ostringstream nothing;
	write_waits(sample_report(), nothing);
	CHECK(nothing.str().empty());
}

TEST_CASE("calls are added up by function, those that took longest first")
{
	Report report = sample_report();
	report.functions = {{0x1000, "quick", "", std::nullopt}, {0x2000, "slow", "nf", std::nullopt}};
	report.calls = {{0, false, 0, 0, {}}, {1, true, 3'000'000, 0, {}}, {1, true, 1'000'000, 0, {}}};
	for (Index i = 0; i < 3; i++) {
		report.samples[i].call = i;
		report.samples[i].period = 10;
	}
	std::ostringstream out;
	write_calls(report, out);
	CHECK(out.str() ==
	      "\nFUNCTION                                     CALLS     TOTAL ms   AVERAGE us   LONGEST us\n"
	      "slow [nf]                                       20        4.000     2000.000     3000.000\n"
	      "quick                                           10\n");
	std::ostringstream nothing;
	write_calls(sample_report(), nothing);
	CHECK(nothing.str().empty());
}

TEST_CASE("equal folded lines are added up")
{
	Report report = sample_report();
	report.samples = {sample_of(0, 1, 0, 2), sample_of(0, 2, 0, 40)};
	std::ostringstream out;
	write_folded(report, out);
	CHECK(out.str() == "prog;[prog+0x1200];main;leaf 42\n");
}

TEST_CASE("a line per sample begins with its cookie and thread")
{
	Report report = sample_report();
	report.samples = {sample_of(0, 1, 0, 2), sample_of(0, 2, 0, 40)};
	report.samples[0].cookie = 281474976710657;
	report.samples[0].tid = 42;
	report.samples[1].user_stack.reset();
	std::ostringstream out;
	write_cookies(report, out);
	CHECK(out.str() == "281474976710657 42 prog;[prog+0x1200];main;leaf\n");
}

TEST_CASE("the summary is a table of programs, then their hottest and deepest stacks")
{
	std::ostringstream out;
	write_summary(sample_report(), out);
	CHECK(out.str() ==
	      R"(PROGRAM            SAMPLES  COMPLETE  FROM 3 S  WHY NOT
prog                     7    85.7 %   100.0 %  no_table 14.3 %; lost 3
we;ird?                  1     0.0 %         -  no_table 100.0 %
all                      8    75.0 %   100.0 %  no_table 25.0 %; lost 3

prog: hottest stack, 4 of 7 samples
    main+0x20  prog  (pc)
    [prog+0x1200]  (sframe)
    complete: zero_ra
prog: deepest stack, 3 frames
    leaf+0x10  prog  (pc)
    main+0x20  prog  (eh_frame)
    [prog+0x1200]  (eh_frame)
    complete: outermost

we;ird?: hottest stack, 1 of 1 samples
    ["q"+0x10]  (pc)
    [0xdead]  (fp)
    incomplete: no_table
)");
}

TEST_CASE("a deep stack is shown by its two ends")
{
	Report report = sample_report();
	auto& stack = report.stacks[0];
	stack.frames.assign(100, 1);
	stack.methods.assign(100, Method::EH_FRAME);
	stack.stack_bytes.assign(100, 16);
	report.samples = {sample_of(0, 1, 0, 1)};
	std::ostringstream out;
	write_summary(report, out);
	CHECK(out.str().find("    ... 60 more ...\n") != std::string::npos);
}

TEST_CASE("a summary of nothing has no percentages")
{
	std::ostringstream out;
	write_summary(Report(), out);
	CHECK(out.str() == "PROGRAM            SAMPLES  COMPLETE  FROM 3 S  WHY NOT\n"
			   "all                      0         -         -\n");
}

TEST_CASE("100 % means all, and 0 % nothing")
{
	CHECK(percent(9999, 10000) == ">99.9 %");
	CHECK(percent(1, 10000) == "<0.1 %");
	CHECK(percent(9990, 10000) == "99.9 %");
	CHECK(percent(10000, 10000) == "100.0 %");
	CHECK(percent(0, 3) == "0.0 %");
	CHECK(percent(~0ull, ~0ull) == "100.0 %");
	CHECK(percent(0, 0) == "-");
}

TEST_CASE("percentages of one whole add up to 100")
{
	using Texts = std::vector<std::string>;
	CHECK(percents({9936, 64}) == Texts{"99.4 %", "0.6 %"});
	CHECK(percents({9935, 65}) == Texts{"99.3 %", "0.7 %"});
	CHECK(percents({1, 1, 1}) == Texts{"33.3 %", "33.3 %", "33.4 %"});
	CHECK(percents({9972, 7, 7, 7, 7}) == Texts{"99.7 %", "<0.1 %", "0.1 %", "0.1 %", "0.1 %"});
	CHECK(percents({999'999, 1}) == Texts{">99.9 %", "<0.1 %"});
	CHECK(percents({5, 0}) == Texts{"100.0 %", "0.0 %"});
	CHECK(percents({~0ull, ~0ull}) == Texts{"50.0 %", "50.0 %"});
	CHECK(percents({0, 0}) == Texts{"-", "-"});
}

// The report's two modules: /bin/prog with a table, /tmp/"q" with what is asked about.
Report report_ending_in_module(std::uint32_t complete, std::uint32_t early, std::uint32_t late)
{
	constexpr std::uint64_t known_ns = 1'000'000'000;
	Report report = sample_report();
	report.frames[4].module = 1;
	report.modules[1].table_known_ns = known_ns;
	report.samples = {sample_of(0, 5, 0, complete)};
	if (early)
		report.samples.push_back(sample_of(0, known_ns - 1, 1, early));
	if (late)
		report.samples.push_back(sample_of(0, known_ns, 1, late));
	report.counters = {};
	return report;
}

TEST_CASE("the closing line's percentages add up to 100, and it blames no file for samples before its table was there")
{
	CHECK(closing_line(report_ending_in_module(9936, 64, 0), "x.json") ==
	      "10000 samples in x.json, 99.4 % complete; why not: before its table was there 0.6 %; "
	      "if uwindd runs, tables are there before");
	CHECK(closing_line(report_ending_in_module(9930, 64, 6), "x.json") ==
	      "10000 samples in x.json, 99.3 % complete; why not: before its table was there 0.6 %, no_table 0.1 %; "
	      "if uwindd runs, tables are there before");
	CHECK(closing_line(report_ending_in_module(9936, 0, 64), "x.json") ==
	      "10000 samples in x.json, 99.4 % complete; why not: no_table 0.6 %; "
	      "`uwind table check /tmp/\"q\"` says why");
	CHECK_THAT(closing_line(report_ending_in_module(9930, 6, 64), "x.json"), Catch::EndsWith("says why"));
	Report never = report_ending_in_module(9936, 0, 64);
	never.modules[1].table_known_ns.reset();
	CHECK_THAT(closing_line(never, "x.json"), Catch::Contains("before its table was there 0.6 %"));
}

TEST_CASE("more causes than four are told as three and others, which add up too")
{
	Report report = sample_report();
	report.samples = {sample_of(0, 1, 0, 9940)};
	for (const Stop stop : {Stop::BAD_READ, Stop::BAD_PC, Stop::BACKWARDS, Stop::DEPTH, Stop::MISALIGNED}) {
		report.stacks.push_back({{0}, {Method::PC}, {{}}, stop});
		report.samples.push_back(sample_of(0, 1, report.stacks.size() - 1, report.stacks.size() - 1));
	}
	CHECK(shares_of(tally_of(report)).why_not == "misaligned 0.1 %, depth 0.1 %, backwards <0.1 %, others 0.1 %");
}

TEST_CASE("the closing line says samples, percent complete, why not, what to do")
{
	Report report = sample_report();
	report.counters.lost = {{"exec", 3}};
	report.counters.pending = 0;
	CHECK(closing_line(report, "x.json") == "8 samples in x.json, 75.0 % complete; why not: no_table 25.0 %; "
						"lost: exec 3; `uwind report --format summary` shows where");
	report.frames[4].module = 1;
	CHECK_THAT(closing_line(report, "x.json"), Catch::EndsWith("`uwind table check /tmp/\"q\"` says why"));
	report.counters.lost["dropped"] = 1;
	CHECK_THAT(closing_line(report, "x.json"), Catch::EndsWith("the reader was too slow: lower -F"));
	report.samples = {sample_of(0, 1, 0, 5)};
	report.counters = {};
	CHECK(closing_line(report, "x.json") == "5 samples in x.json, 100.0 % complete");
	report.samples.clear();
	CHECK_THAT(closing_line(report, "x.json"), Catch::Contains("nothing ran"));
}

TEST_CASE("status is one name and value per line")
{
	ModuleStats stats;
	stats.tables = 3;
	stats.table_budget_bytes = 1000;
	stats.lost[Loss::EXEC] = 2;
	stats.stops = {{Stop::NONE, 9}, {Stop::OUTERMOST, 4}};
	std::ostringstream out;
	write_status({1, Arch::arm64, "0.1.0"}, stats, out);
	CHECK_THAT(out.str(), Catch::StartsWith("module                  0.1.0\nabi                     1\n"
						"arch                    arm64\n"));
	CHECK_THAT(out.str(), Catch::Contains("\nlost.exec               2\nstops.outermost         4\n"));
	CHECK_THAT(out.str(), !Catch::Contains("stops.none"));
}

TEST_CASE("what the kernel did comes after the thread's own frames, marked, and alone where the thread has none")
{
	Report report;
	report.processes.resize(1);
	report.processes[0].comm = "prog";
	report.frames.resize(2);
	report.frames[0].symbol = "main";
	report.frames[1].symbol = "vfs_read";
	report.frames[1].kernel = true;
	report.stacks.resize(2);
	report.stacks[0] = {{0}, {Method::PC}, {{}}, Stop::OUTERMOST};
	report.stacks[1] = {{1}, {Method::PC}, {{}}, Stop::OUTERMOST};
	ReportSample sample;
	sample.weight = 2;
	sample.kernel_stack = 1;
	report.samples.push_back(sample);
	sample.user_stack = 0;
	report.samples.push_back(sample);
	std::ostringstream folded, inverted;
	write_folded(report, folded);
	CHECK(folded.str() == "prog;main;vfs_read_[k] 2\nprog;vfs_read_[k] 2\n");
	write_folded_inverted(report, inverted);
	CHECK(inverted.str() == "prog;vfs_read_[k] 2\nprog;vfs_read_[k];main 2\n");
	const Tally tally = tally_of(report);
	CHECK(tally.samples == 2);
	CHECK(tally.lost == 0);
}
