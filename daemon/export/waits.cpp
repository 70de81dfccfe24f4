// SPDX-License-Identifier: GPL-2.0
// Times off the CPU in a terminal: who waited, why, for whom.
//
// A thread that was woken waited for its waker. What the waker itself waited for meanwhile, for half of that time or
// more, is what both waited for, and so on.
#include "export/waits.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace uwind {
namespace {

constexpr std::size_t most_wait_rows = 20;
constexpr std::size_t most_wakers = 4; // of a chain

struct WaitRow {
	std::string program, reason, channel, wakers;

	auto tied() const { return std::tie(program, reason, channel, wakers); }
	bool operator<(const WaitRow& other) const { return tied() < other.tied(); }
};

struct WaitSum {
	std::uint64_t ns = 0;
	std::uint64_t times = 0;
};

// Of each thread, its times by the moment at which they ended.
class Threads {
public:
	explicit Threads(const Report& report)
	{
		for (const ReportSample& sample : report.samples)
			if (sample.off_cpu)
				times_[sample.tid].emplace(sample.time_ns, &sample);
	}

	// The thread's longest time that ended while the waiter waited, if it is half of the wait. Null: there is none.
	const ReportSample* during(const ReportSample& wait, std::uint32_t tid) const
	{
		const auto thread = times_.find(tid);
		if (thread == times_.end())
			return nullptr;
		const std::uint64_t ns = wait.period.value_or(0), start = wait.time_ns - std::min(wait.time_ns, ns);
		const ReportSample* longest = nullptr;
		std::uint64_t most = ns / 2;
		for (auto one = thread->second.upper_bound(start);
		     one != thread->second.end() && one->first < wait.time_ns; ++one) {
			const std::uint64_t overlap = std::min(one->second->period.value_or(0), one->first - start);
			if (overlap > most) {
				most = overlap;
				longest = one->second;
			}
		}
		return longest;
	}

private:
	std::map<std::uint32_t, std::multimap<std::uint64_t, const ReportSample*>> times_;
};

// "nginx < postgres < interrupt"
std::string wakers_of(const Report& report, const Threads& threads, const ReportSample& sample)
{
	std::string text;
	const ReportSample* wait = &sample;
	for (std::size_t i = 0; i < most_wakers && wait; i++) {
		const auto& waker = report.off_cpu[*wait->off_cpu].waker;
		if (!waker)
			break;
		text += (text.empty() ? "" : " < ") +
			(waker->interrupt ? "interrupt" : printable(report.processes[waker->process].comm));
		wait = waker->interrupt ? nullptr : threads.during(*wait, waker->tid);
	}
	return text;
}

std::map<WaitRow, WaitSum> sums_of(const Report& report)
{
	const Threads threads(report);
	std::map<WaitRow, WaitSum> sums;
	for (const ReportSample& sample : report.samples) {
		if (!sample.off_cpu)
			continue;
		const ReportOffCpu& off_cpu = report.off_cpu[*sample.off_cpu];
		WaitSum& sum = sums[{printable(report.processes[sample.process].comm), off_cpu.reason,
				     printable(off_cpu.wait_channel), wakers_of(report, threads, sample)}];
		sum.ns += sample.period.value_or(0);
		sum.times++;
	}
	return sums;
}

std::string line_of(const WaitRow& row, const WaitSum& sum)
{
	char numbers[64];
	std::snprintf(numbers, sizeof(numbers), "%10.3f %8llu", static_cast<double>(sum.ns) / 1e9,
		      static_cast<unsigned long long>(sum.times));
	const auto padded = [](std::string text, std::size_t width) {
		text.resize(std::max(text.size(), width), ' ');
		return text;
	};
	std::string line = padded(row.program, 16) + " " + numbers + "  " + padded(row.reason, 10) + " " +
			   padded(row.channel, 24) + " " + row.wakers;
	line.erase(line.find_last_not_of(' ') + 1);
	return line + "\n";
}

} // namespace

void write_waits(const Report& report, std::ostream& out)
{
	if (report.off_cpu.empty())
		return;
	const auto sums = sums_of(report);
	std::vector<std::pair<WaitRow, WaitSum>> rows(sums.begin(), sums.end());
	std::stable_sort(rows.begin(), rows.end(),
			 [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
	out << "\nOFF THE CPU         SECONDS    TIMES  REASON     IN                       WOKEN BY\n";
	for (std::size_t i = 0; i < rows.size() && i < most_wait_rows; i++)
		out << line_of(rows[i].first, rows[i].second);
	if (rows.size() > most_wait_rows)
		out << "... " << rows.size() - most_wait_rows << " more ...\n";
}

} // namespace uwind
