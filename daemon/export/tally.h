// SPDX-License-Identifier: GPL-2.0
// Sums over a report's samples: how many stacks are complete, and why others are not.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/report.h"

namespace uwind {

// Numbers are weights. Samples without a stack count as lost, not as samples; those with a kernel stack alone as
// nothing.
struct Tally {
	std::uint64_t samples = 0;
	std::uint64_t complete = 0;
	std::uint64_t lost = 0;
	std::uint64_t early = 0;             // incomplete: no_table, before the file's table was there
	std::map<Stop, std::uint64_t> stops; // of other incomplete stacks

	void add(const ReportSample& sample, const Report& report);
};

// What a sample has of them.
struct BothStacks {
	std::optional<Index> user, kernel;

	auto operator<=>(const BothStacks&) const = default;
};

struct Program {
	std::string name; // comm
	Tally all;
	Tally later; // from 3 s after its first sample on
	BothStacks hottest;
	std::optional<Index> deepest; // user stack
	std::uint64_t hottest_weight = 0;
};

constexpr std::uint64_t warm_up_ns = 3'000'000'000;

Tally tally_of(const Report& report);
// Those with most samples first.
std::vector<Program> programs_of(const Report& report);

// Did that stack end for want of a table that its file got later?
bool ended_before_table(const ReportSample& sample, const Report& report);

// Percentages with one decimal that add up to 100: each rounded up or down, so that together they are nearest. Nothing
// but all is "100.0 %" and nothing but none is "0.0 %": there are "<0.1 %" and ">99.9 %". "-" of nothing.
std::vector<std::string> percents(const std::vector<std::uint64_t>& parts);
std::string percent(std::uint64_t part, std::uint64_t whole);

// What adds up to all samples.
struct Shares {
	std::string complete; // "98.7 %"
	std::string why_not;  // "no_table 1.0 %, bad_read 0.3 %", the most frequent first; "" if all are complete
};
Shares shares_of(const Tally& tally);

} // namespace uwind
