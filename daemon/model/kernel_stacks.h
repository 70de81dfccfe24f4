// SPDX-License-Identifier: GPL-2.0
// The deepest stacks of the kernel, and what each function takes of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace uwind {

// How the kernel was entered: in the order of the module's numbers.
inline constexpr std::array<const char*, 7> kernel_entries = {"syscall", "exception", "kthread", "idle",
							      "softirq", "irq",       "nmi"};
// Which stack it is on, in that order too.
inline constexpr std::array<const char*, 3> kernel_stack_places = {"task", "irq", "other"};

// Innermost first. Depths are bytes from the end of the stack that the frame is on.
struct KernelStackFrame {
	std::uint64_t address = 0;
	std::optional<std::string> symbol;
	std::uint64_t symbol_offset = 0;
	std::string module; // "": the kernel itself
	std::uint32_t depth = 0;
	std::uint32_t static_bytes = 0;
	std::uint32_t dynamic_bytes = 0;
	std::uint32_t ahead_bytes = 0; // that the function that was entered is going to take
	bool exact = false;
	bool interrupted = false;
	bool registers = false; // of what was interrupted
	bool crosses = false;   // the next frame is on another stack
	bool entered = false;
	std::uint8_t place = 0; // in kernel_stack_places

	std::uint64_t bytes() const { return std::uint64_t{static_bytes} + dynamic_bytes; }
};

struct KernelStack {
	bool of_task = false; // the deepest of its task; else of its CPU, entry and place
	std::uint8_t entry = 0, place = 0;
	std::uint64_t time_ns = 0; // CLOCK_BOOTTIME
	std::uint32_t cpu = 0;
	std::int32_t pid = 0, tid = 0;
	std::string comm;
	std::uint32_t depth = 0;
	std::uint32_t stack_bytes = 0; // of the whole stack; 0: not known
	bool complete = false, truncated = false;
	std::vector<KernelStackFrame> frames;
};

struct KernelStacks {
	std::map<std::string, std::uint64_t> counters;
	std::vector<KernelStack> stacks;
};

// What is kept.
struct KernelStackOptions {
	std::uint32_t tasks = 0;              // room for stacks of tasks; 0: none
	std::vector<std::uint64_t> functions; // addresses; empty: all that can be traced
};

} // namespace uwind
