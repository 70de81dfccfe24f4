// SPDX-License-Identifier: GPL-2.0
// Which of the kernel's deepest stacks are shown, and what their frames are called.
#include "app/kernel_stacks.h"

#include <algorithm>
#include <set>

namespace uwind {
namespace {

// Stacks with the same key are of one row.
std::uint64_t key_of(const KernelStack& stack, KernelStacksPer per)
{
	if (per == KernelStacksPer::task)
		return std::uint32_t(stack.tid);
	return per == KernelStacksPer::cpu ? stack.cpu : stack.entry * kernel_stack_places.size() + stack.place;
}

// What calls ends at its return address: the call itself is before it, and may be the last of its function.
std::uint64_t named_address(const KernelStackFrame& frame)
{
	return frame.address - (frame.interrupted || frame.entered ? 0 : 1);
}

void name_frame(KernelStackFrame& frame, const std::optional<KernelName>& name)
{
	if (!name)
		return;
	frame.symbol = name->symbol;
	frame.symbol_offset = name->offset + (frame.address - named_address(frame));
	frame.module = name->module;
}

} // namespace

void select_kernel_stacks(KernelStacks& stacks, KernelStacksPer per, std::size_t top)
{
	auto& list = stacks.stacks;
	std::erase_if(list, [&](const KernelStack& s) { return s.of_task != (per == KernelStacksPer::task); });
	std::stable_sort(list.begin(), list.end(),
			 [](const KernelStack& a, const KernelStack& b) { return a.depth > b.depth; });
	std::set<std::uint64_t> seen;
	std::erase_if(list, [&](const KernelStack& stack) { return !seen.insert(key_of(stack, per)).second; });
	if (list.size() > top)
		list.resize(top);
}

void name_kernel_stacks(KernelStacks& stacks, KernelNames& names)
{
	std::vector<std::uint64_t> addresses;
	for (const KernelStack& stack : stacks.stacks)
		for (const KernelStackFrame& frame : stack.frames)
			addresses.push_back(named_address(frame));
	const auto found = names.find(addresses);
	std::size_t at = 0;
	for (KernelStack& stack : stacks.stacks)
		for (KernelStackFrame& frame : stack.frames)
			if (at < found.size())
				name_frame(frame, found[at++]);
}

} // namespace uwind
