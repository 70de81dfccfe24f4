// SPDX-License-Identifier: GPL-2.0
// What to sample, and the module's statistics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/event.h"
#include "model/table_rows.h"
#include "model/words.h"

namespace uwind {

enum class Event { cpu_clock, cycles, requests, listed };

// Frames of a stack: the module's limit, and its default.
inline constexpr std::uint32_t most_frames = 4096;
inline constexpr std::uint32_t default_frames = 512;

// Of the stack of a sample whose walk lacked a table: the module's limit, and the default.
inline constexpr std::uint32_t most_stack_bytes = 16384;

// A sample satisfies all of it: its process is a target, not excluded, in the cgroup, on one of the CPUs.
struct SessionOptions {
	Event event = Event::cpu_clock;
	bool is_frequency = true; // rate is in Hz; else a period: ns, cycles, or 1 for requests
	std::uint64_t rate = 99;
	std::vector<EventSpec>
		events; // listed: at least one, none of them is_requests; the rate is that of those without one
	bool kernel_stacks = false; // listed: where the user may have them
	bool user_only = false;     // counted only while tasks run in user mode
	bool all = false;           // every process; targets is empty
	bool inherit = false;       // children of targets are targets
	std::vector<std::int32_t> targets;
	std::uint32_t max_frames = 0;       // 0: default_frames
	std::vector<std::int32_t> excludes; // with their children from now on
	std::string cgroup;                 // with those below it; "": any
	std::vector<std::uint32_t> cpus;    // in ascending order; empty: all
	std::uint32_t stack_bytes = 0;      // that come with a walk that lacks a table; 0: none
};

inline Rate rate_of(const EventSpec& event, const SessionOptions& options)
{
	if (event.rate)
		return *event.rate;
	return event.each_time ? Rate{false, 1} : Rate{options.is_frequency, options.rate};
}

// A session that the module has started.
struct StartedSession {
	std::uint32_t number = 0;
	bool user_only = false;        // asked for, or this user may count nothing else
	std::uint32_t stack_bytes = 0; // 0: not asked for, or not allowed
};

using LossCounts = std::map<Loss, std::uint64_t>;
using StopCounts = std::map<Stop, std::uint64_t>;

// requested = answered + the sum of lost + pending. Numbers are weights.
struct SessionStats {
	std::uint32_t session = 0;
	std::uint64_t requested = 0;
	std::uint64_t answered = 0;
	std::uint64_t pending = 0;
	LossCounts lost;
	StopCounts stops;
	std::uint64_t messages = 0;
	std::uint64_t messages_dropped = 0;
	std::uint64_t bytes = 0; // of messages
	std::uint64_t stacks_told = 0;
	std::uint64_t stacks_known = 0;       // sent before in the same message
	std::uint64_t periods_missed = 0;     // by counters that ran late: nothing was requested
	std::uint64_t throttled = 0;          // how often a counter was stopped until the next tick
	std::uint64_t counters_failed = 0;    // CPUs that came online, or threads, without a counter
	std::uint64_t unfinished = 0;         // samples that came with what it takes to go on with their walk
	std::uint64_t unfinished_refused = 0; // a limit was reached
	std::uint64_t events = 0;             // that counters noted
	std::uint64_t events_lost = 0;        // and did not, as too many waited to be sent
	std::uint64_t events_dropped = 0;     // of those noted, what the reader's full socket refused
	std::uint64_t events_own = 0;         // not counted: as threads' stacks were walked and sent
};

// Of the module, since it was loaded.
struct ModuleStats {
	std::uint32_t tables = 0;
	std::uint64_t table_bytes = 0;
	std::uint64_t table_budget_bytes = 0;
	std::uint64_t tables_refused = 0;
	std::uint64_t tables_distrusted = 0;
	std::uint64_t shadow_checked = 0;
	std::uint32_t files = 0;
	std::uint32_t spaces = 0;
	std::uint32_t sessions = 0;
	std::uint32_t requests_open = 0;
	std::uint64_t requested = 0;
	std::uint64_t answered = 0;
	LossCounts lost;
	StopCounts stops;
	std::uint64_t frames = 0;
	std::uint64_t files_refused = 0;
	std::uint64_t sections_refused = 0;
	std::uint64_t children_missed = 0;
	std::uint64_t periods_missed = 0; // this and the next two: of all sessions
	std::uint64_t throttled = 0;
	std::uint64_t counters_failed = 0;
	std::uint64_t text_reported = 0; // records of how the kernel's text changes
	std::uint64_t text_lost = 0;     // for which there was no room
};

struct ModuleVersion {
	std::uint32_t abi = 0;
	Arch arch = Arch::none;
	std::string version;
};

// One of the module's tables, of whichever program.
struct TableInfo {
	std::uint32_t table = 0;
	Method method = Method::NONE;
	std::uint32_t rows = 0;
	std::uint32_t rules = 0;
	std::uint64_t bytes = 0;
	std::uint32_t owner_pid = 0;
	std::uint32_t file = 0; // 0: not tied
	std::string path;
};

inline const char* name_of(Arch arch)
{
	return arch == Arch::x86_64 ? "x86_64" : arch_name(arch);
}

inline const char* name_of(Event event)
{
	switch (event) {
	case Event::cycles:
		return "cycles";
	case Event::requests:
		return "requests";
	case Event::cpu_clock:
	case Event::listed:
		break;
	}
	return "cpu-clock";
}

} // namespace uwind
