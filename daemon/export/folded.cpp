// SPDX-License-Identifier: GPL-2.0
// Stacks as lines of text.
#include "export/folded.h"

#include <algorithm>
#include <map>
#include <ostream>

#include "base/text.h"
#include "export/threads.h"

namespace uwind {
namespace {

// What separates fields and lines may not stand inside one.
std::string plain(const std::string& text)
{
	std::string result = printable(text);
	std::replace(result.begin(), result.end(), ';', ':');
	return result;
}

// As flame graph programs expect it.
const char* mark_of(const ReportFrame& frame)
{
	return frame.kernel ? "_[k]" : frame.inlining ? "_[i]" : "";
}

std::vector<std::string> frame_names(const Report& report)
{
	std::vector<std::string> names;
	names.reserve(report.frames.size());
	for (Index i = 0; i < report.frames.size(); i++)
		names.push_back(plain(frame_text(report, i)) + mark_of(report.frames[i]));
	return names;
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
	auto frames = outermost_first(report, sample);
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

std::string place_text(const Report& report, Index index)
{
	const ReportFrame& frame = report.frames[index];
	std::string text = printable(frame_text(report, index));
	if (frame.inlining)
		text += " (inlined)";
	else if (frame.symbol)
		text += "+" + hex(frame.symbol_offset);
	if (frame.symbol && frame.module && !frame.inlining)
		text += "  " + printable(std::string(basename_of(report.modules[*frame.module].path)));
	if (frame.source && frame.source->line)
		text += "  " + printable(std::string(basename_of(frame.source->file))) + ":" +
			std::to_string(frame.source->line);
	return text;
}

void write_folded(const Report& report, std::ostream& out)
{
	write_lines(report, out, outermost_first);
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
			    << folded(report, names, sample, outermost_first(report, sample)) << '\n';
}

} // namespace uwind
