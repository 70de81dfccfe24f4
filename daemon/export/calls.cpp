// SPDX-License-Identifier: GPL-2.0
// Calls of the kernel's functions in a terminal.
#include "export/calls.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <vector>

#include "base/text.h"

namespace uwind {
namespace {

constexpr std::size_t most_rows = 20;

struct Sum {
	std::uint64_t calls = 0;
	std::uint64_t returns = 0; // that took ns together
	std::uint64_t ns = 0, longest_ns = 0;
};

std::string name_of(const ReportFunction& function)
{
	const std::string name = function.name.empty() ? hex(function.address) : printable(function.name);
	return function.module.empty() ? name : name + " [" + printable(function.module) + "]";
}

std::map<Index, Sum> sums_of(const Report& report)
{
	std::map<Index, Sum> sums;
	for (const ReportSample& sample : report.samples) {
		if (!sample.call)
			continue;
		const ReportCall& call = report.calls[*sample.call];
		Sum& sum = sums[call.function];
		sum.calls += sample.period.value_or(1);
		sum.returns += call.returned;
		sum.ns += call.duration_ns;
		sum.longest_ns = std::max(sum.longest_ns, call.duration_ns);
	}
	return sums;
}

std::string line_of(const ReportFunction& function, const Sum& sum)
{
	char numbers[96], name[96];
	std::snprintf(name, sizeof(name), "%-40s %9llu", name_of(function).c_str(),
		      static_cast<unsigned long long>(sum.calls));
	if (!sum.returns)
		return std::string(name) + "\n";
	constexpr double ns_of_ms = 1e6, ns_of_us = 1e3;
	std::snprintf(numbers, sizeof(numbers), " %12.3f %12.3f %12.3f", static_cast<double>(sum.ns) / ns_of_ms,
		      static_cast<double>(sum.ns) / static_cast<double>(sum.returns) / ns_of_us,
		      static_cast<double>(sum.longest_ns) / ns_of_us);
	return std::string(name) + numbers + "\n";
}

} // namespace

void write_calls(const Report& report, std::ostream& out)
{
	if (report.calls.empty())
		return;
	const auto sums = sums_of(report);
	std::vector<std::pair<Index, Sum>> rows(sums.begin(), sums.end());
	std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
		return a.second.ns != b.second.ns ? a.second.ns > b.second.ns : a.second.calls > b.second.calls;
	});
	out << "\nFUNCTION                                     CALLS     TOTAL ms   AVERAGE us   LONGEST us\n";
	for (std::size_t i = 0; i < rows.size() && i < most_rows; i++)
		out << line_of(report.functions[rows[i].first], rows[i].second);
	if (rows.size() > most_rows)
		out << "... " << rows.size() - most_rows << " more ...\n";
}

} // namespace uwind
