// SPDX-License-Identifier: GPL-2.0
// What cannot be is found, and nothing else.
#include "export/validity.h"

#include <catch2/catch.hpp>

#include "unit/export/sample_report.h"

using namespace uwind;
using Lines = std::vector<std::string>;

TEST_CASE("a report in which all adds up has no flaws")
{
	CHECK(flaws_of(sample_report()).empty());
	CHECK(flaws_of(Report()).empty());
}

TEST_CASE("each flaw of a report is named with its place")
{
	Report report = sample_report();
	Lines expected;
	SECTION("a request that is not accounted for")
	{
		report.counters.answered--;
		expected = {"counters: 12 requested, but 11 answered, lost and pending"};
	}
	SECTION("a sample that stands for nothing")
	{
		report.samples[2].weight = 0;
		expected = {"samples[2]: has no weight"};
	}
	SECTION("a stack that was lost, and is there")
	{
		report.samples[0].lost = Loss::EXIT;
		expected = {"samples[0]: has a stack, and lost it"};
	}
	SECTION("a stack that ended without a reason")
	{
		report.stacks[1].stop = Stop::NONE;
		expected = {"stacks[1]: ended without a reason"};
	}
	SECTION("a stack that begins with a caller")
	{
		report.stacks[2].methods[0] = Method::FP;
		expected = {"stacks[2]: its innermost frame was not found by pc"};
	}
	SECTION("a function below all addresses")
	{
		report.frames[1].symbol_offset = 0x500000;
		expected = {"frames[1]: its function begins below address 0"};
	}
	SECTION("user frames among the kernel's")
	{
		report.samples[3].kernel_stack = 0;
		expected = {"samples[3]: its kernel_stack has frames of user space"};
	}
	SECTION("the kernel's frames among a thread's own")
	{
		report.frames[4].kernel = true;
		expected = {"samples[1]: its user_stack has frames of the kernel",
			    "samples[3]: its user_stack has frames of the kernel"};
	}
	CHECK(flaws_of(report) == expected);
}

TEST_CASE("no more flaws are named than a person reads")
{
	Report report = sample_report();
	report.samples.clear();
	report.samples.resize(100);
	CHECK(flaws_of(report).size() == most_flaws);
}
