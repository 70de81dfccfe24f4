// SPDX-License-Identifier: GPL-2.0
// A report in a terminal.
#include "export/summary.h"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <set>

#include "base/text.h"
#include "export/calls.h"
#include "export/folded.h"
#include "export/kernel_stacks.h"
#include "export/tally.h"
#include "export/waits.h"

namespace uwind {
namespace {

constexpr std::size_t max_programs = 50;
constexpr std::size_t max_frames_shown = 40;
constexpr std::size_t max_largest_frames = 10;

std::string row(const std::string& name, const std::string& samples, const std::string& all, const std::string& later,
		const std::string& why)
{
	char text[256];
	std::snprintf(text, sizeof(text), "%-16s %9s %9s %9s  %s", name.c_str(), samples.c_str(), all.c_str(),
		      later.c_str(), why.c_str());
	std::string line = text;
	line.erase(line.find_last_not_of(' ') + 1);
	return line + "\n";
}

std::string row_of(const std::string& name, const Tally& all, const Tally& later)
{
	auto [complete, why] = shares_of(all);
	if (all.lost)
		why += (why.empty() ? "lost " : "; lost ") + std::to_string(all.lost);
	return row(printable(name), std::to_string(all.samples), complete, percent(later.complete, later.samples), why);
}

std::string frame_line(const Report& report, const ReportStack& stack, std::size_t i)
{
	return "    " + place_text(report, stack.frames[i]) + "  (" + frame_method_name(stack.methods[i]) + ")\n";
}

// A long stack is shown by its two ends.
void write_frames(const Report& report, const ReportStack& stack, std::ostream& out)
{
	const std::size_t depth = stack.frames.size();
	const bool cut = depth > max_frames_shown;
	const std::size_t head = cut ? max_frames_shown / 2 : depth;
	for (std::size_t i = 0; i < head; i++)
		out << frame_line(report, stack, i);
	if (cut)
		out << "    ... " << depth - max_frames_shown << " more ...\n";
	for (std::size_t i = cut ? depth - max_frames_shown / 2 : depth; i < depth; i++)
		out << frame_line(report, stack, i);
}

void write_stack(const Report& report, const ReportStack& stack, std::ostream& out)
{
	write_frames(report, stack, out);
	out << "    " << (is_complete(stack.stop) ? "complete: " : "incomplete: ") << name_of(stack.stop) << "\n";
}

void write_both(const Report& report, const BothStacks& stacks, std::ostream& out)
{
	if (stacks.kernel)
		write_frames(report, report.stacks[*stacks.kernel], out);
	if (stacks.user)
		write_stack(report, report.stacks[*stacks.user], out);
}

void write_program(const Report& report, const Program& program, std::ostream& out)
{
	if (!program.hottest_weight)
		return;
	out << "\n"
	    << printable(program.name) << ": hottest stack, " << program.hottest_weight << " of " << program.all.samples
	    << " samples\n";
	write_both(report, program.hottest, out);
	if (!program.deepest || program.deepest == program.hottest.user)
		return;
	out << printable(program.name) << ": deepest stack, " << report.stacks[*program.deepest].frames.size()
	    << " frames\n";
	write_stack(report, report.stacks[*program.deepest], out);
}

// The module that most walks ended in for want of rows, though what table it has was known.
std::string module_without_rows(const Report& report)
{
	std::map<Index, std::uint64_t> modules;
	for (const ReportSample& sample : report.samples) {
		const ReportStack* stack = sample.user_stack ? &report.stacks[*sample.user_stack] : nullptr;
		if (!stack || stack->stop != Stop::NO_TABLE || stack->frames.empty() ||
		    ended_before_table(sample, report))
			continue;
		if (const auto module = report.frames[stack->frames.back()].module)
			modules[*module] += sample.weight;
	}
	const auto most = std::max_element(modules.begin(), modules.end(),
					   [](const auto& a, const auto& b) { return a.second < b.second; });
	return most == modules.end() ? "" : report.modules[most->first].path;
}

std::string lost_text(const ReportCounters& counters)
{
	std::string text;
	for (const auto& [cause, count] : counters.lost)
		if (count)
			text += (text.empty() ? "" : ", ") + cause + " " + std::to_string(count);
	if (counters.pending)
		text += (text.empty() ? "" : ", ") + std::string("pending ") + std::to_string(counters.pending);
	return text;
}

std::uint64_t number(const std::map<std::string, std::uint64_t>& counts, const char* name)
{
	const auto found = counts.find(name);
	return found == counts.end() ? 0 : found->second;
}

std::string advice(const Report& report, const Tally& tally)
{
	const auto& others = report.counters.others;
	if (tally.samples == 0 && tally.lost == 0)
		return "nothing ran: record for longer, or name other processes";
	if (number(report.counters.lost, "dropped") || number(others, "messages_dropped"))
		return "the reader was too slow: lower -F";
	if (number(others, "tables_refused"))
		return "raise the module's budget for tables";
	if (number(others, "samples_not_kept"))
		return "record for a shorter time, or lower -F: the report is full";
	const auto worst = std::max_element(tally.stops.begin(), tally.stops.end(),
					    [](const auto& a, const auto& b) { return a.second < b.second; });
	if (tally.early && (worst == tally.stops.end() || tally.early >= worst->second))
		return "if uwindd runs, tables are there before";
	if (worst == tally.stops.end())
		return "";
	if (worst->first == Stop::NO_TABLE)
		if (const auto path = module_without_rows(report); !path.empty())
			return "`uwind table check " + printable(path) + "` says why";
	if (number(others, "throttled") && number(others, "periods_missed") > report.counters.requested / 10)
		return "the kernel held counters back: lower -F, or raise kernel.perf_event_max_sample_rate";
	return "`uwind report --format summary` shows where";
}

} // namespace

void write_summary(const Report& report, std::ostream& out)
{
	if (report.kernel_stacks) {
		write_kernel_stacks(*report.kernel_stacks, max_largest_frames, out);
		return;
	}
	const auto programs = programs_of(report);
	Tally all, later;
	for (const ReportSample& sample : report.samples)
		all.add(sample, report);
	for (const Program& program : programs) {
		later.samples += program.later.samples;
		later.complete += program.later.complete;
	}
	out << row("PROGRAM", "SAMPLES", "COMPLETE", "FROM 3 S", "WHY NOT");
	for (std::size_t i = 0; i < programs.size() && i < max_programs; i++)
		out << row_of(programs[i].name, programs[i].all, programs[i].later);
	if (programs.size() > max_programs)
		out << "... " << programs.size() - max_programs << " more programs ...\n";
	out << row_of("all", all, later);
	write_waits(report, out);
	write_calls(report, out);
	for (std::size_t i = 0; i < programs.size() && i < max_programs; i++)
		write_program(report, programs[i], out);
}

std::string closing_line(const Report& report, const std::string& file)
{
	const Tally tally = tally_of(report);
	std::string line = std::to_string(tally.samples) + " samples in " + file;
	const auto [complete, why] = shares_of(tally);
	if (tally.samples)
		line += ", " + complete + " complete";
	if (!why.empty())
		line += "; why not: " + why;
	if (const auto lost = lost_text(report.counters); !lost.empty())
		line += "; lost: " + lost;
	if (const auto what = advice(report, tally); !what.empty())
		line += "; " + what;
	return line;
}

} // namespace uwind
