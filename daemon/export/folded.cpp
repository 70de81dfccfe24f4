// SPDX-License-Identifier: GPL-2.0
// Stacks as lines of text.
#include "export/folded.h"

#include <map>
#include <ostream>

#include "base/text.h"

namespace uwind {
namespace {

// What separates fields and lines may not stand inside one.
std::string plain(std::string text)
{
	for (char& c : text)
		if (c == ';')
			c = ':';
		else if (static_cast<unsigned char>(c) < ' ')
			c = '?';
	return text;
}

std::vector<std::string> frame_names(const Report& report)
{
	std::vector<std::string> names;
	names.reserve(report.frames.size());
	for (Index i = 0; i < report.frames.size(); i++)
		names.push_back(plain(frame_text(report, i)));
	return names;
}

std::string folded(const Report& report, const std::vector<std::string>& names, const ReportSample& sample)
{
	std::string line = plain(report.processes[sample.process].comm);
	const auto& frames = report.stacks[*sample.user_stack].frames;
	for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
		line += ';' + names[*frame];
	return line;
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
	const auto names = frame_names(report);
	std::map<std::string, std::uint64_t> lines;
	for (const ReportSample& sample : report.samples)
		if (sample.user_stack)
			lines[folded(report, names, sample)] += sample.weight;
	for (const auto& [line, weight] : lines)
		out << line << ' ' << weight << '\n';
}

void write_cookies(const Report& report, std::ostream& out)
{
	const auto names = frame_names(report);
	for (const ReportSample& sample : report.samples)
		if (sample.user_stack)
			out << sample.cookie << ' ' << sample.tid << ' ' << folded(report, names, sample) << '\n';
}

} // namespace uwind
