// SPDX-License-Identifier: GPL-2.0
// Stacks as lines of text.
#include "export/folded.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "base/text.h"

namespace uwind {
namespace {

// What separates fields and lines may not stand inside one.
std::string plain(const std::string& text)
{
	std::string result = printable(text);
	std::replace(result.begin(), result.end(), ';', ':');
	return result;
}

// Kernel frames are marked as flame graph programs expect it.
std::vector<std::string> frame_names(const Report& report)
{
	std::vector<std::string> names;
	names.reserve(report.frames.size());
	for (Index i = 0; i < report.frames.size(); i++)
		names.push_back(plain(frame_text(report, i)) + (report.frames[i].kernel ? "_[k]" : ""));
	return names;
}

// From where the thread began to what the kernel did for it last.
std::vector<Index> frames_of(const Report& report, const ReportSample& sample)
{
	std::vector<Index> frames;
	for (const auto& stack : {sample.user_stack, sample.kernel_stack})
		if (stack)
			frames.insert(frames.end(), report.stacks[*stack].frames.rbegin(),
				      report.stacks[*stack].frames.rend());
	return frames;
}

std::string folded(const Report& report, const std::vector<std::string>& names, const ReportSample& sample,
		   const std::vector<Index>& frames)
{
	std::string line = plain(report.processes[sample.process].comm);
	for (const Index frame : frames)
		line += ';' + names[frame];
	return line;
}

using Order = std::vector<Index> (*)(const Report&, const ReportSample&);

// Where times off the CPU are shown, they are added up, and clocks beside them, in microseconds.
bool shows_time(const Report& report)
{
	return std::any_of(report.samples.begin(), report.samples.end(),
			   [](const ReportSample& sample) { return sample.off_cpu.has_value(); });
}

std::uint64_t value_of(const ReportSample& sample, bool time)
{
	constexpr std::uint64_t ns_of_us = 1000;
	return time ? sample.period.value_or(0) / ns_of_us : sample.weight;
}

void write_lines(const Report& report, std::ostream& out, Order order)
{
	const auto names = frame_names(report);
	const bool time = shows_time(report);
	std::map<std::string, std::uint64_t> lines;
	for (const ReportSample& sample : report.samples)
		if (sample.has_stack())
			lines[folded(report, names, sample, order(report, sample))] += value_of(sample, time);
	for (const auto& [line, weight] : lines)
		out << line << ' ' << weight << '\n';
}

std::vector<Index> inverted(const Report& report, const ReportSample& sample)
{
	auto frames = frames_of(report, sample);
	std::reverse(frames.begin(), frames.end());
	return frames;
}

} // namespace

std::string frame_text(const Report& report, Index index)
{
	const ReportFrame& frame = report.frames[index];
	if (frame.symbol)
		return *frame.symbol;
	if (!frame.module)
		return "[" + hex(frame.address) + "]";
	const auto& path = report.modules[*frame.module].path;
	return "[" + std::string(basename_of(path)) + "+" + hex(frame.offset) + "]";
}

void write_folded(const Report& report, std::ostream& out)
{
	write_lines(report, out, frames_of);
}

void write_folded_inverted(const Report& report, std::ostream& out)
{
	write_lines(report, out, inverted);
}

void write_cookies(const Report& report, std::ostream& out)
{
	const auto names = frame_names(report);
	for (const ReportSample& sample : report.samples)
		if (sample.has_stack())
			out << sample.cookie << ' ' << sample.tid << ' '
			    << folded(report, names, sample, frames_of(report, sample)) << '\n';
}

} // namespace uwind
