// SPDX-License-Identifier: GPL-2.0
// Sums over a report's samples.
#include "export/tally.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

namespace uwind {
namespace {

struct Group {
	Program program;
	std::uint64_t first_ns = ~0ull;
	std::map<Index, std::uint64_t> stacks; // weight
};

using Groups = std::map<std::string, Group>;

// The report may hold samples out of order: first look for each beginning.
Groups group_by_program(const Report& report)
{
	Groups groups;
	for (const ReportSample& sample : report.samples) {
		Group& group = groups[report.processes[sample.process].comm];
		group.first_ns = std::min(group.first_ns, sample.time_ns);
	}
	for (const ReportSample& sample : report.samples) {
		Group& group = groups[report.processes[sample.process].comm];
		group.program.all.add(sample, report);
		if (sample.time_ns - group.first_ns >= warm_up_ns)
			group.program.later.add(sample, report);
		if (sample.user_stack)
			group.stacks[*sample.user_stack] += sample.weight;
	}
	return groups;
}

void pick_stacks(const Report& report, Group& group)
{
	Program& program = group.program;
	std::size_t depth = 0;
	for (const auto& [stack, weight] : group.stacks) {
		if (weight > program.hottest_weight) {
			program.hottest_weight = weight;
			program.hottest = stack;
		}
		if (report.stacks[stack].frames.size() > depth) {
			depth = report.stacks[stack].frames.size();
			program.deepest = stack;
		}
	}
}

} // namespace

void Tally::add(const ReportSample& sample, const Report& report)
{
	if (!sample.user_stack) {
		lost += sample.weight;
		return;
	}
	const Stop stop = report.stacks[*sample.user_stack].stop;
	samples += sample.weight;
	if (is_complete(stop))
		complete += sample.weight;
	else
		stops[stop] += sample.weight;
}

Tally tally_of(const Report& report)
{
	Tally tally;
	for (const ReportSample& sample : report.samples)
		tally.add(sample, report);
	return tally;
}

std::vector<Program> programs_of(const Report& report)
{
	std::vector<Program> programs;
	for (auto& [name, group] : group_by_program(report)) {
		group.program.name = name;
		pick_stacks(report, group);
		programs.push_back(std::move(group.program));
	}
	std::stable_sort(programs.begin(), programs.end(),
			 [](const Program& a, const Program& b) { return a.all.samples > b.all.samples; });
	return programs;
}

// Rounded down, so that "100.0 %" means all.
std::string percent(std::uint64_t part, std::uint64_t whole)
{
	if (whole == 0)
		return "-";
	const auto tenths = static_cast<std::uint64_t>(static_cast<unsigned __int128>(part) * 1000 / whole);
	return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

std::string reasons(const Tally& tally, std::size_t most)
{
	std::vector<std::pair<std::uint64_t, Stop>> sorted;
	for (const auto& [stop, count] : tally.stops)
		sorted.emplace_back(count, stop);
	std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
	std::string text;
	for (std::size_t i = 0; i < sorted.size() && i < most; i++) {
		text += text.empty() ? "" : ", ";
		text += name_of(sorted[i].second) + " " + percent(sorted[i].first, tally.samples);
	}
	return text;
}

} // namespace uwind
