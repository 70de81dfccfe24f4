// SPDX-License-Identifier: GPL-2.0
// Events that trigger samples, as perf_event_open(2) describes them, and the filters of tracepoints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uwind {

// Of one session.
inline constexpr std::size_t most_events = 32;
// Of one filter.
inline constexpr std::size_t most_filter_steps = 64;
// Of a step's text, without the zero at its end.
inline constexpr std::size_t most_filter_text = 63;

// What a step looks at.
enum class FilterKind : std::uint8_t {
	number,   // `bytes` (1, 2, 4 or 8) at `offset`
	chars,    // an array of `bytes` characters at `offset`, which ends early at a zero
	data_loc, // four bytes at `offset`: the text's offset in the entry (low half) and its length (high half)
	rel_loc,  // the same, but the offset counts from the end of these four bytes
	cpu,      // the CPU's number
	comm,     // the name of the running task
};

// Numbers know equal to bits; texts know equal, not_equal, glob and not_glob.
enum class FilterCompare : std::uint8_t {
	equal,
	not_equal,
	less,
	less_equal,
	greater,
	greater_equal,
	bits, // any of the value's bits is set
	glob, // all of the text matches: *, ?, [a-z], [!a-z], \x
	not_glob,
};

// Where a step goes on: the index of a later step, or one of these.
inline constexpr std::uint8_t filter_take = 0xff;
inline constexpr std::uint8_t filter_leave = 0xfe;

struct FilterStep {
	FilterKind kind = FilterKind::number;
	FilterCompare compare = FilterCompare::equal;
	bool is_signed = false;  // numbers: extended by their sign, and compared so
	std::uint32_t bytes = 0; // of a number, or of an array of characters
	std::uint32_t offset = 0;
	std::uint64_t value = 0; // numbers; extended by its sign if is_signed
	std::string text;        // texts
	std::uint8_t if_true = filter_take;
	std::uint8_t if_false = filter_leave;
};

// How often an event takes a sample.
struct Rate {
	bool is_frequency = false; // in Hz; else once every so many events
	std::uint64_t value = 0;
};

// Of an event that is none of perf's: threads that were off their CPUs. config is how many times of one CPU are noted
// in a second at most, 0: the module's default; the rate is the shortest time that counts.
inline constexpr std::uint32_t off_cpu_type = 0x75770001;
inline constexpr std::uint64_t off_cpu_no_wakers = 1; // config1

// Of calls of the kernel's functions, which is none of perf's either. config says that their returns are meant.
inline constexpr std::uint32_t function_type = 0x75770002;
inline constexpr std::uint64_t function_return = 1;
// Of one event.
inline constexpr std::size_t most_functions = 65536, most_returns = 1024;
inline constexpr std::uint32_t most_arguments = 6;
// Where filters of calls find them.
inline constexpr std::uint32_t call_duration_offset = 8, call_value_offset = 16, call_arguments_offset = 24;

// What perf_event_attr needs to count an event; the names are those of its members.
struct EventSpec {
	std::string name; // "cycles:u", "sched:sched_switch"
	std::uint32_t type = 0;
	std::uint64_t config = 0, config1 = 0, config2 = 0;
	std::string config1_text; // config1 points to it: kprobe_func or uprobe_path; "": config1 is a number
	std::uint32_t bp_type = 0;
	bool exclude_user = false;
	bool exclude_kernel = false;
	bool exclude_hv = false;
	bool exclude_host = false;
	bool exclude_guest = false;
	bool exclude_idle = false;
	std::uint8_t precise = 0; // 0 to 3
	std::optional<Rate> rate; // of its own; nothing: the session's
	bool each_time = false;   // without a rate, each occurrence is a sample: tracepoints, breakpoints, probes
	bool is_requests = false; // no counter: requests of BPF programs and kernel modules
	std::vector<std::uint64_t> functions; // of function_type: where they begin
	bool is_tracepoint = false;           // has fields, and may have a filter
	std::string tracepoint;               // SUBSYSTEM:NAME, whatever the event's name is
	std::string filter;                   // as typed; several are joined
	std::vector<FilterStep> filter_steps; // empty: every entry is taken
};

// A line of `uwind list events`.
struct ListedEvent {
	std::string name;
	std::string kind;
};

struct EventList {
	std::vector<ListedEvent> events;
	std::vector<std::string> notes; // why kinds are missing, or are listed without being tried
};

} // namespace uwind
