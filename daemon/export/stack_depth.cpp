// SPDX-License-Identifier: GPL-2.0
// How deep stacks are, in a terminal.
#include "export/stack_depth.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "base/text.h"
#include "export/depths.h"
#include "export/folded.h"

namespace uwind {
namespace {

constexpr std::size_t most_threads = 50;
constexpr std::size_t most_stacks = 10;
constexpr std::size_t most_functions = 20;
constexpr std::size_t most_entries = 100; // of a stack

std::string or_dash(const std::optional<std::uint64_t>& number)
{
	return number ? std::to_string(*number) : "-";
}

// Only a first thread's stack is the one that the kernel made.
std::optional<StackRoom> room_of(const Report& report, const ThreadDepth& thread)
{
	const ReportSample& sample = *thread.sample;
	return sample.tid == sample.pid ? report.processes[sample.process].stack : std::nullopt;
}

std::string depth_text(const ThreadDepth& thread)
{
	return (thread.exact ? "" : ">=") + std::to_string(thread.bytes);
}

std::string thread_line(const Report& report, const ThreadDepth& thread)
{
	const auto room = room_of(report, thread);
	const ReportSample& sample = *thread.sample;
	const std::string limit = !room ? "-" : room->limit_bytes ? std::to_string(*room->limit_bytes) : "unlimited";
	std::string name = printable(report.processes[sample.process].comm);
	name.resize(std::max<std::size_t>(name.size(), 16), ' ');
	char numbers[128];
	std::snprintf(numbers, sizeof(numbers), " %8u %8u %9llu %12s %12s %12s\n", sample.pid, sample.tid,
		      static_cast<unsigned long long>(thread.samples), depth_text(thread).c_str(),
		      or_dash(room ? std::optional(room->mapped_bytes) : std::nullopt).c_str(), limit.c_str());
	return name + numbers;
}

void write_threads(const Report& report, const std::vector<ThreadDepth>& threads, std::ostream& out)
{
	out << "PROGRAM               PID      TID   SAMPLES        DEPTH       MAPPED        LIMIT\n";
	for (std::size_t i = 0; i < threads.size() && i < most_threads; i++)
		out << thread_line(report, threads[i]);
	if (threads.size() > most_threads)
		out << "... " << threads.size() - most_threads << " more threads ...\n";
}

std::string entry_line(std::size_t i, std::uint64_t depth, std::optional<std::uint32_t> size)
{
	char text[64];
	std::snprintf(text, sizeof(text), "%3zu) %9llu %9s   ", i, static_cast<unsigned long long>(depth),
		      or_dash(size).c_str());
	return text;
}

// A long stack is shown by its two ends.
void write_entries(const Report& report, const ReportStack& stack, std::ostream& out)
{
	const std::size_t entries = stack.frames.size();
	const std::size_t counted = counted_frames(stack);
	std::uint64_t depth = counted_bytes(stack);
	out << "         Depth      Size   Location    (" << entries << (entries == 1 ? " entry)\n" : " entries)\n")
	    << "         -----      ----   --------\n";
	for (std::size_t i = 0; i < entries; i++) {
		const bool shown = entries <= most_entries || i < most_entries / 2 || entries - i <= most_entries / 2;
		const auto size = i < counted ? stack.stack_bytes[i] : std::nullopt;
		if (shown)
			out << entry_line(i, depth, size) << place_text(report, stack.frames[i]) << "\n";
		else if (i == most_entries / 2)
			out << "     ... " << entries - most_entries << " more ...\n";
		depth -= size.value_or(0);
	}
}

void write_deepest(const Report& report, const ThreadDepth& thread, std::ostream& out)
{
	const ReportStack& stack = report.stacks[*thread.sample->user_stack];
	out << "\n"
	    << printable(report.processes[thread.sample->process].comm) << ", thread " << thread.sample->tid << ": "
	    << depth_text(thread) << " bytes\n";
	write_entries(report, stack, out);
	if (!is_complete(stack.stop))
		out << "     incomplete: " << name_of(stack.stop) << "\n";
}

void write_functions(const Report& report, std::ostream& out)
{
	const auto frames = largest_frames(report);
	if (!frames.empty())
		out << "\nLARGEST FRAME   FUNCTION\n";
	for (std::size_t i = 0; i < frames.size() && i < most_functions; i++) {
		char bytes[32];
		std::snprintf(bytes, sizeof(bytes), "%13u   ", frames[i].bytes);
		out << bytes << place_text(report, frames[i].frame) << "\n";
	}
	if (frames.size() > most_functions)
		out << "... " << frames.size() - most_functions << " more ...\n";
}

} // namespace

void write_stack_depth(const Report& report, std::ostream& out)
{
	const auto threads = depths_of(report);
	write_threads(report, threads, out);
	for (std::size_t i = 0; i < threads.size() && i < most_stacks; i++)
		write_deepest(report, threads[i], out);
	write_functions(report, out);
}

} // namespace uwind
