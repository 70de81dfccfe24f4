// SPDX-License-Identifier: GPL-2.0
// Sums over a report's samples.
#include "export/tally.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace uwind {
namespace {

using Wide = unsigned __int128;

constexpr std::size_t max_causes = 3; // told apart; a fourth only if it is the last

struct Cause {
	std::string name;
	std::uint64_t samples;
};

struct Group {
	Program program;
	std::uint64_t first_ns = ~0ull;
	std::map<BothStacks, std::uint64_t> stacks; // weight
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
		if (sample.user_stack || sample.kernel_stack)
			group.stacks[{sample.user_stack, sample.kernel_stack}] += sample.weight;
	}
	return groups;
}

void pick_stacks(const Report& report, Group& group)
{
	Program& program = group.program;
	std::size_t depth = 0;
	for (const auto& [stacks, weight] : group.stacks) {
		if (weight > program.hottest_weight) {
			program.hottest_weight = weight;
			program.hottest = stacks;
		}
		if (stacks.user && report.stacks[*stacks.user].frames.size() > depth) {
			depth = report.stacks[*stacks.user].frames.size();
			program.deepest = stacks.user;
		}
	}
}

// The most frequent first.
std::vector<Cause> causes_of(const Tally& tally)
{
	std::vector<Cause> causes;
	if (tally.early)
		causes.push_back({"before its table was there", tally.early});
	for (const auto& [stop, count] : tally.stops)
		causes.push_back({name_of(stop), count});
	std::stable_sort(causes.begin(), causes.end(),
			 [](const Cause& a, const Cause& b) { return a.samples > b.samples; });
	if (causes.size() <= max_causes + 1)
		return causes;
	Cause others{"others", 0};
	for (std::size_t i = max_causes; i < causes.size(); i++)
		others.samples += causes[i].samples;
	causes.resize(max_causes);
	causes.push_back(others);
	return causes;
}

std::string text_of_tenths(unsigned tenths, bool some, bool all)
{
	if (some && tenths == 0)
		return "<0.1 %";
	if (!all && tenths == 1000)
		return ">99.9 %";
	return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %";
}

} // namespace

bool ended_before_table(const ReportSample& sample, const Report& report)
{
	const ReportStack* stack = sample.user_stack ? &report.stacks[*sample.user_stack] : nullptr;
	if (!stack || stack->stop != Stop::NO_TABLE || stack->frames.empty())
		return false;
	const auto module = report.frames[stack->frames.back()].module;
	if (!module)
		return false;
	const auto known_ns = report.modules[*module].table_known_ns;
	return !known_ns || sample.time_ns < *known_ns;
}

void Tally::add(const ReportSample& sample, const Report& report)
{
	if (!sample.user_stack) {
		lost += sample.lost || !sample.kernel_stack ? sample.weight : 0;
		return;
	}
	const Stop stop = report.stacks[*sample.user_stack].stop;
	samples += sample.weight;
	if (is_complete(stop))
		complete += sample.weight;
	else if (ended_before_table(sample, report))
		early += sample.weight;
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

std::string percent(std::uint64_t part, std::uint64_t whole)
{
	return percents({part, whole - part}).front();
}

// The largest remainders are rounded up; of equal ones the last, since the first is what was hoped for.
std::vector<std::string> percents(const std::vector<std::uint64_t>& parts)
{
	const auto whole = std::accumulate(parts.begin(), parts.end(), Wide(0));
	if (whole == 0)
		return std::vector<std::string>(parts.size(), "-");
	std::vector<unsigned> tenths;
	std::vector<std::pair<Wide, std::size_t>> remainders;
	unsigned left = 1000;
	for (std::size_t i = 0; i < parts.size(); i++) {
		tenths.push_back(static_cast<unsigned>(Wide(parts[i]) * 1000 / whole));
		remainders.emplace_back(Wide(parts[i]) * 1000 % whole, i);
		left -= tenths.back();
	}
	std::sort(remainders.rbegin(), remainders.rend());
	for (std::size_t i = 0; i < left; i++)
		tenths[remainders[i].second]++;
	std::vector<std::string> texts;
	for (std::size_t i = 0; i < parts.size(); i++)
		texts.push_back(text_of_tenths(tenths[i], parts[i] != 0, parts[i] == whole));
	return texts;
}

Shares shares_of(const Tally& tally)
{
	auto causes = causes_of(tally);
	std::vector<std::uint64_t> parts{tally.complete};
	for (const auto& cause : causes)
		parts.push_back(cause.samples);
	const auto texts = percents(parts);
	Shares shares{texts.front(), ""};
	for (std::size_t i = 0; i < causes.size(); i++)
		shares.why_not += (i ? ", " : "") + causes[i].name + " " + texts[i + 1];
	return shares;
}

} // namespace uwind
