// SPDX-License-Identifier: GPL-2.0
// The report: what the JSON says, as structs. Indices point into its own vectors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "model/host.h"
#include "model/kernel_function.h"
#include "model/kernel_stacks.h"
#include "model/process_details.h"
#include "model/report_sample.h"
#include "model/sample_list.h"
#include "model/segment.h"
#include "model/stack_room.h"
#include "model/words.h"

namespace uwind {

struct ReportEvent {
	std::string name; // as it was given: "cycles:u"
	bool is_frequency = true;
	std::uint64_t rate = 0; // frequency_hz or period
};

// The report was made of another tool's recording.
struct ReportConversion {
	std::string perf;  // version of perf that recorded; "": not known
	std::string clock; // of all times: "perf", "monotonic", "boottime" …
};

struct ReportSession {
	std::string event;
	bool is_frequency = true;
	std::uint64_t rate = 0; // frequency_hz or period
	std::string started;    // RFC 3339
	std::uint64_t duration_ns = 0;
	std::string target;                       // "all", "pid 1,2", "command"
	std::string cgroup = {};                  // "": any
	std::string cpus = {};                    // "0-3,5"; "": all
	std::vector<std::uint32_t> excluded = {}; // processes
	std::uint32_t max_depth = 0;              // of a stack; 0: not given
	bool user_only = false;                   // nothing was counted in kernel mode
	std::vector<std::string> unwatched = {};  // kinds of kernel code that are named as they were at the end
	std::vector<ReportEvent> events = {};     // that samples name; empty: requests, or an older report
	std::optional<ReportConversion> converted = {};
	std::optional<std::uint64_t> started_ns = {}; // `started` by the clock of samples; nothing: an older report
};

// One program image: exec starts a new one with the same pid.
struct ReportProcess {
	std::uint32_t pid = 0;
	std::string comm;
	std::string exe; // "": unknown
	std::uint64_t start_time_ns = 0;
	std::uint8_t word_bits = 64;
	std::optional<StackRoom> stack = {}; // nothing: not asked for, or not known
	ProcessDetails details = {};
	std::optional<std::uint64_t> exit_time_ns = {}; // CLOCK_BOOTTIME; nothing: it lives on, or its end was not told
};

struct ReportModule {
	std::string path;
	std::string build_id;        // "": none
	std::optional<Method> table; // nothing: it has no table
	std::uint64_t rows = 0;
	std::uint64_t bytes = 0; // kernel memory of the table
	// CLOCK_BOOTTIME: since when the file has this table, or is known to have
	// none. Nothing: not known until the end of the recording. 0 in reports
	// without the field.
	std::optional<std::uint64_t> table_known_ns = 0;
	std::vector<Segment> segments = {}; // of the file that are loaded and have contents; empty: not known
};

struct ReportSource {
	std::string file;       // its path when it was compiled; "": not known
	std::uint32_t line = 0; // 0: not known

	bool operator==(const ReportSource&) const = default;
};

// A function that was inlined where the frame's address is.
struct ReportInlined {
	std::string symbol; // "": not known
	ReportSource source;

	bool operator==(const ReportInlined&) const = default;
};

// The frame is of an inlined function: one that expand_inlined() made of another frame.
struct ReportInlining {
	Index frame = 0;         // whose code it is part of
	std::uint32_t depth = 0; // 1: inlined into the frame's own function
};

struct ReportFrame {
	std::uint64_t address = 0;
	std::optional<Index> module;
	std::uint64_t offset = 0; // virtual address in the module's ELF file
	std::optional<std::string> symbol;
	std::uint64_t symbol_offset = 0;
	bool kernel = false;
	std::optional<ReportSource> source = {};     // in the symbol itself: where what is inlined was called
	std::vector<ReportInlined> inlined = {};     // innermost first
	std::optional<ReportInlining> inlining = {}; // nothing: it is one of the stack's own
};

// Innermost first; the three vectors have one length.
struct ReportStack {
	std::vector<Index> frames;
	std::vector<Method> methods; // as frame_method() gives them
	std::vector<std::optional<std::uint32_t>> stack_bytes;
	Stop stop = Stop::NONE;
	bool finished_later = false; // the walk lacked a table, and was gone on with when that was there

	bool operator==(const ReportStack&) const = default;
};

// Of all frames whose size is known.
inline std::uint64_t bytes_of(const ReportStack& stack)
{
	std::uint64_t sum = 0;
	for (const auto& bytes : stack.stack_bytes)
		sum += bytes.value_or(0);
	return sum;
}

// Who ended a time off the CPU.
struct ReportWaker {
	Index process = 0;
	std::uint32_t pid = 0;
	std::uint32_t tid = 0;
	bool interrupt = false;          // the thread was only interrupted by what did it
	std::optional<Index> user_stack; // of the thread, as it came back to user space
	std::optional<Index> kernel_stack;
};

// A time that a thread was off its CPU; the sample's period says how long.
struct ReportOffCpu {
	std::string reason; // a word of off_cpu_reasons
	char state = '?';   // as in /proc/PID/stat
	bool iowait = false;
	bool compat = false; // the system call is one of the 32-bit ABI
	bool still = false;  // it had not come back when the recording ended
	std::optional<std::uint32_t> syscall_number;
	std::string syscall;                      // "": in none, or not known
	std::string wait_channel;                 // the kernel's function in which it waited; "": not known
	std::optional<std::uint64_t> runnable_ns; // how long after it was woken; nothing: it was not woken
	std::optional<ReportWaker> waker;         // nothing: not known
	bool preempted() const { return state == 'R'; }
};

struct ReportFunction {
	std::uint64_t address = 0;                // where it begins
	std::string name;                         // "": not known
	std::string module;                       // "nf_tables"; "": the kernel itself
	std::optional<KernelSignature> signature; // nothing: not known; then all registers are arguments
};

// A call of a function of the kernel.
struct ReportCall {
	Index function = 0;
	bool returned = false;                                 // the sample is of its return
	std::uint64_t duration_ns = 0, value = 0;              // returned only
	std::array<std::uint64_t, most_arguments> arguments{}; // registers
};

// requested = answered + the sum of lost + pending.
struct ReportCounters {
	std::uint64_t requested = 0;
	std::uint64_t answered = 0;
	std::uint64_t pending = 0;
	std::map<std::string, std::uint64_t> lost;
	std::map<std::string, std::uint64_t> stops;
	std::map<std::string, std::uint64_t> others; // messages, tables_refused …
};

struct Report {
	Host host;
	ReportSession session;
	std::vector<ReportProcess> processes;
	std::vector<ReportModule> modules;
	std::vector<ReportFrame> frames;
	std::vector<ReportStack> stacks;
	SampleList samples;
	std::vector<ReportOffCpu> off_cpu;
	std::vector<ReportFunction> functions; // that calls name
	std::vector<ReportCall> calls;
	bool stack_depth = false; // how deep stacks are is written, too
	ReportCounters counters;
	std::optional<KernelStacks> kernel_stacks; // of `uwind kstack`
};

} // namespace uwind
