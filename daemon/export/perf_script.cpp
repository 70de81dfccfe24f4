// SPDX-License-Identifier: GPL-2.0
// Samples as `perf script` prints them.
#include "export/perf_script.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

#include "base/text.h"
#include "export/threads.h"

namespace uwind {
namespace {

// Readers take a name up to the first blank, or up to the first blank with a number after it.
std::string one_word(const std::string& text)
{
	std::string word = printable(text);
	std::replace(word.begin(), word.end(), ' ', '_');
	return word;
}

// perf calls a thread whose name it does not know by its number. A line that begins with # is a comment.
std::string comm_of(const Report& report, const ReportSample& sample)
{
	std::string comm = one_word(report.processes[sample.process].comm);
	if (comm.empty())
		return ":" + std::to_string(sample.tid);
	if (comm.front() == '#')
		comm.front() = '_';
	return comm;
}

// Readers take what begins with a parenthesis for no function: "(anonymous namespace)::f()".
std::string function_of(const std::string& symbol)
{
	std::string name = printable(symbol);
	if (!name.starts_with('('))
		return name;
	name.front() = '{';
	if (const std::size_t end = name.find(')'); end != std::string::npos)
		name[end] = '}';
	return name;
}

std::string frame_line(const Report& report, const ReportFrame& frame)
{
	char address[24];
	std::snprintf(address, sizeof(address), "\t%16llx ", static_cast<unsigned long long>(frame.address));
	std::string line = address;
	if (frame.inlining)
		return line + function_of(*frame.symbol) + " (inlined)\n";
	if (frame.symbol) {
		char offset[24];
		std::snprintf(offset, sizeof(offset), "+0x%llx", static_cast<unsigned long long>(frame.symbol_offset));
		line += function_of(*frame.symbol) + offset;
	} else {
		line += "[unknown]";
	}
	return line + " (" + (frame.module ? one_word(report.modules[*frame.module].path) : "[unknown]") + ")\n";
}

std::string head_of(const Report& report, const ReportSample& sample)
{
	constexpr std::uint64_t us_per_s = 1'000'000;
	const std::uint64_t us = sample.time_ns / 1000;
	char numbers[96];
	std::snprintf(numbers, sizeof(numbers), " %8u/%-7u [%03u] %5llu.%06llu: ", sample.pid, sample.tid, sample.cpu,
		      static_cast<unsigned long long>(us / us_per_s), static_cast<unsigned long long>(us % us_per_s));
	return comm_of(report, sample) + numbers;
}

// One record's part of what the sample stands for, so that the parts add up to it. Nothing: it is not known.
std::string period_of(const ReportSample& sample, std::uint32_t record)
{
	if (!sample.period)
		return "";
	const std::uint64_t part = *sample.period / sample.weight + (record < *sample.period % sample.weight);
	char text[32];
	std::snprintf(text, sizeof(text), "%10llu ", static_cast<unsigned long long>(part));
	return text;
}

class PerfScript {
public:
	PerfScript(const Report& report, std::ostream& out) : report_(report), out_(out)
	{
		lines_.reserve(report.frames.size());
		for (const ReportFrame& frame : report.frames)
			lines_.push_back(frame_line(report, frame));
	}

	void write(const ReportSample& sample) const
	{
		const std::string head = head_of(report_, sample), event = one_word(event_name(report_, sample));
		for (std::uint32_t record = 0; record < sample.weight; record++) {
			out_ << head << period_of(sample, record) << event << ": \n";
			write_frames(sample.kernel_stack);
			write_frames(sample.user_stack);
			out_ << '\n';
		}
	}

private:
	void write_frames(std::optional<Index> stack) const
	{
		if (!stack)
			return;
		for (const Index frame : report_.stacks[*stack].frames)
			out_ << lines_[frame];
	}

	const Report& report_;
	std::ostream& out_;
	std::vector<std::string> lines_; // of the report's frames
};

} // namespace

std::uint64_t perf_script_records(const Report& report)
{
	std::uint64_t records = 0;
	for (const ReportSample& sample : report.samples)
		records += sample.has_stack() ? sample.weight : 0;
	return records;
}

Status check_perf_script(const Report& report)
{
	const std::uint64_t records = perf_script_records(report);
	if (records <= perf_script_max_records)
		return Nothing{};
	return Error{EINVAL, "perf-script would be " + std::to_string(records) + " records, of at most " +
				     std::to_string(perf_script_max_records) +
				     ": select fewer samples, for example by --time, or take --format folded, which "
				     "counts them"};
}

void write_perf_script(const Report& report, std::ostream& out)
{
	const PerfScript script(report, out);
	for (const ReportSample& sample : in_order_of_time(report))
		script.write(sample);
}

} // namespace uwind
