// SPDX-License-Identifier: GPL-2.0
// How deep stacks are: by thread and by function, as text and in the JSON report.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <sstream>

#include "export/depths.h"
#include "export/json.h"
#include "export/stack_depth.h"
#include "unit/export/sample_report.h"

using namespace uwind;

namespace {

using Sizes = std::vector<std::optional<std::uint32_t>>;

// Of leaf, main and the code without a name.
ReportStack stack_of(Sizes sizes, Stop stop = Stop::OUTERMOST)
{
	return {{0, 1, 2}, {Method::PC, Method::EH_FRAME, Method::EH_FRAME}, std::move(sizes), stop};
}

// A thread with these stacks, one after the other.
Report report_of(std::vector<ReportStack> stacks)
{
	Report report = sample_report();
	report.samples.clear();
	for (Index i = 0; i < stacks.size(); i++)
		report.samples.push_back(sample_of(0, 100 + i, i, 2));
	report.stacks = std::move(stacks);
	return report;
}

std::string text_of(const Report& report)
{
	std::ostringstream out;
	write_stack_depth(report, out);
	return out.str();
}

nlohmann::json json_of(const Report& report)
{
	std::ostringstream out;
	write_json(report, out);
	return nlohmann::json::parse(out.str());
}

ThreadDepth depth_of(ReportStack stack)
{
	const Report report = report_of({std::move(stack)});
	ThreadDepth depth = depths_of(report).at(0);
	depth.sample.reset();
	return depth;
}

} // namespace

TEST_CASE("a thread's depth is the sum of the frames of its deepest stack")
{
	const Report report = report_of({stack_of({16, 32, {}}), stack_of({16, 4000, {}}), stack_of({1000, 64, {}})});
	const auto depths = depths_of(report);
	REQUIRE(depths.size() == 1);
	CHECK(depths[0].bytes == 4016);
	CHECK(depths[0].sample == report.samples[1]);
	CHECK(depths[0].exact);
	CHECK(depths[0].samples == 6);
}

TEST_CASE("of stacks that are as deep, an exact one is shown, then the one with more frames, and else the first")
{
	const auto first = [](std::vector<ReportStack> stacks) {
		const Report report = report_of(std::move(stacks));
		return depths_of(report).at(0).sample->time_ns;
	};
	CHECK(first({stack_of({16, 32, {}}), stack_of({32, 16, {}})}) == 100);
	CHECK(first({stack_of({16, 32, {}}, Stop::NO_TABLE), stack_of({32, 16, {}})}) == 101);
	const ReportStack caller{{1, 2}, {Method::PC, Method::EH_FRAME}, {32, {}}, Stop::OUTERMOST};
	CHECK(first({caller, stack_of({0, 32, {}})}) == 101); // Arm's leaf takes nothing
	Report report = report_of({stack_of({16, 32, {}}), stack_of({32, 16, {}})});
	report.samples[1].time_ns = 7; // samples of two processors come in any order
	CHECK(depths_of(report).at(0).sample->time_ns == 7);
}

TEST_CASE("a depth is exact if no size is unknown but that of the outermost frame of a complete stack")
{
	CHECK(depth_of(stack_of({16, 32, {}})).exact);
	CHECK(depth_of(stack_of({16, 32, {}}, Stop::ZERO_RA)).exact);
	CHECK(depth_of(stack_of({16, 32, 48})).exact);
	CHECK_FALSE(depth_of(stack_of({16, {}, {}})).exact);
	CHECK_FALSE(depth_of(stack_of({{}, 32, {}})).exact);
	CHECK_FALSE(depth_of(stack_of({16, 32, {}}, Stop::DEPTH)).exact);
	CHECK(depth_of(stack_of({{}, 32, {}})).bytes == 32);
	const ReportStack nothing{{}, {}, {}, Stop::OUTERMOST};
	CHECK_FALSE(depth_of(nothing).exact);
	CHECK(depth_of(nothing).bytes == 0);
}

TEST_CASE("what follows a step by the frame pointer counts in complete stacks only, as it may have led anywhere")
{
	ReportStack stack = stack_of({16, 32, {}});
	stack.methods[2] = Method::FP; // main was left by it
	CHECK(depth_of(stack).bytes == 48);
	stack.stop = Stop::NO_TABLE;
	CHECK(depth_of(stack).bytes == 16);
	CHECK_FALSE(depth_of(stack).exact);
	Report report = report_of({stack});
	CHECK(largest_frames(report).size() == 1);
	CHECK_THAT(text_of(report), Catch::Contains("  0)        16        16   leaf+0x10  prog\n"
						    "  1)         0         -   main+0x20  prog\n"
						    "  2)         0         -   "));
	stack.methods[1] = Method::COMPAT_FP;
	CHECK(depth_of(stack).bytes == 0);
	stack.methods = {Method::FP, Method::EH_FRAME, Method::EH_FRAME};
	CHECK(depth_of(stack).bytes == 0);
}

TEST_CASE("threads and programs have depths of their own, the deepest first")
{
	Report report = report_of({stack_of({16, 32, {}}), stack_of({16, 64, {}}), stack_of({16, 48, {}})});
	report.samples[1].tid = 11;
	report.samples[2].process = 1; // after an exec
	report.samples.push_back(sample_of(0, 1, std::nullopt, 5));
	const auto depths = depths_of(report);
	REQUIRE(depths.size() == 3);
	CHECK(depths[0].sample->tid == 11);
	CHECK(depths[0].bytes == 80);
	CHECK(depths[1].sample->process == 1);
	CHECK(depths[2].bytes == 48);
	CHECK(depths[2].samples == 2);
}

TEST_CASE("a function's frame is the largest that samples have of it, wherever it was called from")
{
	Report report = report_of({stack_of({16, 32, {}}), stack_of({16, 4000, {}}), stack_of({24, 64, {}})});
	report.frames.push_back(report.frames[1]);
	report.frames.back().address += 8; // another call in main
	report.stacks[2].frames[1] = Index(report.frames.size() - 1);
	report.stacks.push_back(stack_of({9999, 9999, {}})); // no sample has it
	const auto frames = largest_frames(report);
	REQUIRE(frames.size() == 2);
	CHECK(frames[0].frame == 1);
	CHECK(frames[0].stack == 1);
	CHECK(frames[0].bytes == 4000);
	CHECK(frames[1].frame == 0);
	CHECK(frames[1].bytes == 24);
}

TEST_CASE("code without a symbol is a function of its own")
{
	Report report = report_of({stack_of({16, 32, 48})});
	report.frames[1].symbol.reset();
	CHECK(largest_frames(report).size() == 3);
	report.frames[1].offset = report.frames[2].offset;
	CHECK(largest_frames(report).size() == 2);
}

TEST_CASE("the form is that of the kernel's stack_trace, below a table of threads")
{
	Report report = report_of({stack_of({16, 4000, {}})});
	report.processes[0].stack = StackRoom{135168, 8388608};
	report.samples.push_back(sample_of(1, 200, 0, 1));
	report.samples[report.samples.size() - 1].tid = 99;
	report.processes[1].stack = StackRoom{4096, std::nullopt};
	report.stacks.push_back(stack_of({8, {}, {}}, Stop::NO_TABLE));
	report.samples.push_back(sample_of(1, 200, 1, 3));
	CHECK(text_of(report) ==
	      R"(PROGRAM               PID      TID   SAMPLES        DEPTH       MAPPED        LIMIT
prog                   10       10         2         4016       135168      8388608
we;ird?                11       99         1         4016            -            -
we;ird?                11       11         3          >=8         4096    unlimited

prog, thread 10: 4016 bytes
         Depth      Size   Location    (3 entries)
         -----      ----   --------
  0)      4016        16   leaf+0x10  prog
  1)      4000      4000   main+0x20  prog
  2)         0         -   [prog+0x1200]

we;ird?, thread 99: 4016 bytes
         Depth      Size   Location    (3 entries)
         -----      ----   --------
  0)      4016        16   leaf+0x10  prog
  1)      4000      4000   main+0x20  prog
  2)         0         -   [prog+0x1200]

we;ird?, thread 11: >=8 bytes
         Depth      Size   Location    (3 entries)
         -----      ----   --------
  0)         8         8   leaf+0x10  prog
  1)         0         -   main+0x20  prog
  2)         0         -   [prog+0x1200]
     incomplete: no_table

LARGEST FRAME   FUNCTION
         4000   main+0x20  prog
           16   leaf+0x10  prog
)");
}

TEST_CASE("long stacks, many threads and many functions are cut, and the text says so")
{
	Report report = report_of({stack_of({16, 32, {}})});
	auto& stack = report.stacks[0];
	stack.frames.assign(150, 1);
	stack.methods.assign(150, Method::EH_FRAME);
	stack.stack_bytes.assign(150, 16);
	for (std::uint32_t i = 1; i < 60; i++) {
		report.samples.push_back(sample_of(0, 1, 0, 1));
		report.samples[report.samples.size() - 1].tid = 1000 + i;
	}
	for (Index i = 0; i < 30; i++) {
		report.frames.push_back({0x500000u + i, 0, 0x500000u + i, {}, 0, false});
		stack.frames[i] = Index(report.frames.size() - 1);
	}
	const std::string text = text_of(report);
	CHECK_THAT(text, Catch::Contains("... 10 more threads ...\n"));
	CHECK_THAT(text, Catch::Contains(
				 " 49)      1616        16   main+0x20  prog\n     ... 50 more ...\n100)       800 "));
	CHECK_THAT(text, Catch::Contains("\n... 11 more ...\n"));
	std::size_t shown = 0;
	for (std::size_t at = 0; (at = text.find(", thread ", at)) != std::string::npos; at++)
		shown++;
	CHECK(shown == 10);
}

TEST_CASE("of a report without samples there is only the table's head")
{
	CHECK(text_of(Report()) ==
	      "PROGRAM               PID      TID   SAMPLES        DEPTH       MAPPED        LIMIT\n");
}

TEST_CASE("the JSON report has depths only if they were asked for")
{
	Report report = report_of({stack_of({16, 4000, {}}), stack_of({8, {}, {}})});
	CHECK_FALSE(json_of(report).contains("stack_depth"));
	CHECK_FALSE(json_of(report)["processes"][0].contains("stack"));
	report.stack_depth = true;
	report.processes[0].stack = StackRoom{135168, std::nullopt};
	const auto json = json_of(report);
	const auto& depth = json["stack_depth"];
	CHECK(depth["threads"].dump() == R"([{"bytes":4016,"exact":true,"pid":10,"process":0,"samples":4,"tid":10,)"
					 R"("time_ns":100,"user_stack":0}])");
	CHECK(depth["functions"].dump() == R"([{"bytes":4000,"frame":1,"user_stack":0},)"
					   R"({"bytes":16,"frame":0,"user_stack":0}])");
	CHECK(depth["threads_left_out"] == 0);
	CHECK(json["processes"][0]["stack"].dump() == R"({"limit_bytes":null,"mapped_bytes":135168})");
	const auto read = read_json(json.dump());
	REQUIRE(read);
	CHECK(read->processes[0].stack == report.processes[0].stack);
	CHECK(json_of(*read) == json);
}

TEST_CASE("a JSON report has so many threads and functions at most, and counts the others")
{
	Report report = report_of({stack_of({16, 32, {}})});
	report.stack_depth = true;
	for (std::uint32_t i = 0; i < 1004; i++) {
		report.samples.push_back(sample_of(0, 1, 0, 1));
		report.samples[report.samples.size() - 1].tid = 1000 + i;
	}
	auto& stack = report.stacks[0];
	for (Index i = 0; i < 105; i++) {
		report.frames.push_back({0x500000u + i, 0, 0x500000u + i, {}, 0, false});
		stack.frames.push_back(Index(report.frames.size() - 1));
		stack.methods.push_back(Method::EH_FRAME);
		stack.stack_bytes.push_back(8);
	}
	const auto depth = json_of(report)["stack_depth"];
	CHECK(depth["threads"].size() == 1000);
	CHECK(depth["threads_left_out"] == 5);
	CHECK(depth["functions"].size() == 100);
	CHECK(depth["functions_left_out"] == 7);
}

TEST_CASE("a process' stack that is not as the schema says is an error that names the place")
{
	Report report = sample_report();
	report.processes[1].stack = StackRoom{4096, 8192};
	auto json = json_of(report);
	json["processes"][1]["stack"]["mapped_bytes"] = "many";
	const auto read = read_json(json.dump());
	REQUIRE_FALSE(read);
	CHECK_THAT(read.error().message, Catch::StartsWith("processes[1].stack.mapped_bytes: "));
}
