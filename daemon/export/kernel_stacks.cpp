// SPDX-License-Identifier: GPL-2.0
// The kernel's deepest stacks as text.
#include "export/kernel_stacks.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace uwind {
namespace {

std::string function_text(const KernelStackFrame& frame)
{
	std::string text = frame.symbol ? printable(*frame.symbol) : hex(frame.address);
	if (!frame.module.empty())
		text += " [" + printable(frame.module) + "]";
	return text;
}

std::string location_text(const KernelStackFrame& frame)
{
	std::string text =
		frame.symbol ? printable(*frame.symbol) + "+" + hex(frame.symbol_offset) : hex(frame.address);
	if (!frame.module.empty())
		text += " [" + printable(frame.module) + "]";
	if (frame.entered)
		text += frame.ahead_bytes ? "  (entered; takes " + std::to_string(frame.ahead_bytes) + " more)"
					  : "  (entered)";
	if (frame.interrupted)
		text += "  (interrupted)";
	if (frame.registers)
		text += "  (registers)";
	if (!frame.exact && !frame.entered)
		text += "  (not exact)";
	return text;
}

void write_row(const std::string& depth, const std::string& fixed, const std::string& dynamic,
	       const std::string& location, std::ostream& out)
{
	char line[64];
	std::snprintf(line, sizeof(line), "%8s %8s %8s  ", depth.c_str(), fixed.c_str(), dynamic.c_str());
	out << line << location << '\n';
}

void write_frames(const KernelStack& stack, std::ostream& out)
{
	write_row("DEPTH", "STATIC", "DYNAMIC", "LOCATION", out);
	for (std::size_t i = 0; i < stack.frames.size(); i++) {
		const KernelStackFrame& frame = stack.frames[i];
		write_row(std::to_string(frame.depth), std::to_string(frame.static_bytes),
			  std::to_string(frame.dynamic_bytes), location_text(frame), out);
		if (frame.crosses && i + 1 < stack.frames.size())
			out << "    on the stack of the " << kernel_stack_places[stack.frames[i + 1].place] << ":\n";
	}
	if (stack.truncated)
		out << "    ... it has more frames ...\n";
	else if (!stack.complete)
		out << "    ... how it goes on is not known ...\n";
}

void write_stack(const KernelStack& stack, std::ostream& out)
{
	out << kernel_entries[stack.entry] << ", on the stack of the " << kernel_stack_places[stack.place] << ": "
	    << stack.depth;
	if (stack.stack_bytes)
		out << " of " << stack.stack_bytes;
	out << " bytes; " << printable(stack.comm) << " (" << stack.tid << "), CPU " << stack.cpu << '\n';
	write_frames(stack, out);
	out << '\n';
}

// Of each function, the greatest.
std::vector<const KernelStackFrame*> largest_frames(const KernelStacks& stacks, std::size_t most)
{
	std::map<std::string, const KernelStackFrame*> greatest;
	for (const KernelStack& stack : stacks.stacks)
		for (const KernelStackFrame& frame : stack.frames)
			if (auto& kept = greatest[function_text(frame)]; !kept || kept->bytes() < frame.bytes())
				kept = &frame;
	std::vector<const KernelStackFrame*> frames;
	for (const auto& [name, frame] : greatest)
		if (frame->bytes() && !frame->registers)
			frames.push_back(frame);
	std::stable_sort(frames.begin(), frames.end(),
			 [](const auto* a, const auto* b) { return a->bytes() > b->bytes(); });
	frames.resize(std::min(frames.size(), most));
	return frames;
}

std::uint64_t missed(const KernelStacks& stacks)
{
	std::uint64_t sum = 0;
	for (const char* name : {"missed_busy", "missed_rcu", "missed_stack", "tasks_missed"})
		if (const auto found = stacks.counters.find(name); found != stacks.counters.end())
			sum += found->second;
	return sum;
}

} // namespace

void write_kernel_stacks(const KernelStacks& stacks, std::size_t largest, std::ostream& out)
{
	for (const KernelStack& stack : stacks.stacks)
		write_stack(stack, out);
	out << "Largest frames\n";
	write_row("BYTES", "STATIC", "DYNAMIC", "FUNCTION", out);
	for (const KernelStackFrame* frame : largest_frames(stacks, largest))
		write_row(std::to_string(frame->bytes()), std::to_string(frame->static_bytes),
			  std::to_string(frame->dynamic_bytes), function_text(*frame), out);
	if (missed(stacks))
		out << '\n' << missed(stacks) << " stacks were not looked at: see counters in the JSON report\n";
}

} // namespace uwind
