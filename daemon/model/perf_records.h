// SPDX-License-Identifier: GPL-2.0
// What perf has recorded, as structs: a file's header, and its records in the order of their times.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/kernel_region.h"
#include "model/records.h"

namespace uwind {

// Of a chain, on either side of the kernel's border, unless kernel.perf_event_max_stack says otherwise.
inline constexpr std::size_t usual_chain_frames = 127;

// What was counted.
struct PerfEvent {
	std::string name;
	bool is_frequency = true;
	std::uint64_t rate = 0; // Hz, or a period
	bool user_only = false;
};

// Of a file that was mapped, as perf found it when the recording ended.
struct PerfBuildId {
	std::string path;
	std::string build_id; // lower-case hex digits
	bool kernel = false;  // of the kernel, or a module of it
};

// What is not in the file is empty.
struct PerfHeader {
	std::string hostname;
	std::string release; // of the kernel
	std::string machine; // "x86_64", "aarch64": as uname -m
	std::string perf;    // its version
	std::string command; // that recorded
	std::vector<PerfEvent> events;
	std::vector<PerfBuildId> build_ids;
	std::optional<std::uint32_t> clock; // of all times, CLOCK_*; nothing: perf's own, which is near CLOCK_MONOTONIC
	std::int64_t written = 0;           // seconds since 1970: the file's last modification
};

struct PerfThread {
	std::uint32_t pid = 0; // ~0: the kernel's, or none
	std::uint32_t tid = 0;
	std::uint64_t time_ns = 0; // by the recording's clock; 0: before it began
};

// From now on that is mapped there, instead of whatever was.
struct PerfMapping : PerfThread {
	Mapping mapping;      // inode 0: not known
	std::string build_id; // "": not known
	bool executable = true;
	bool kernel = false;
};

struct PerfName : PerfThread {
	std::string comm;
	bool exec = false; // by executing another program
};

struct PerfFork : PerfThread {
	std::uint32_t parent = 0; // process
	bool before = false;      // it was there when the recording began: what it maps follows
};

struct PerfExit : PerfThread {};

struct PerfSample : PerfThread {
	std::optional<std::uint32_t> event; // of the header; nothing: not known
	std::uint32_t cpu = 0;
	std::uint64_t period = 0; // 0: not known
	std::uint64_t ip = 0;
	bool in_user_mode = false;
	std::vector<std::uint64_t> kernel_chain;
	std::vector<std::uint64_t> user_chain;
	std::optional<std::uint64_t> cookie; // its user chain comes later
	bool has_registers = false;          // they were asked for
	// Null: the thread had none, or they were not asked for. The stack is empty where none was copied.
	std::shared_ptr<const Unfinished> registers;
};

// The user chain of all samples of that thread with that cookie.
struct PerfDeferredChain : PerfThread {
	std::uint64_t cookie = 0;
	std::vector<std::uint64_t> user_chain;
};

// Records that perf could not read in time.
struct PerfLost {
	std::uint64_t records = 0;
};

using PerfRecord = std::variant<PerfMapping, PerfName, PerfFork, PerfExit, PerfSample, PerfDeferredChain,
				KernelRegionEvent, PerfLost>;

// Records that next() gave nothing of.
struct PerfSkipped {
	std::uint64_t malformed = 0; // they contradict themselves
	std::uint64_t unknown = 0;   // of a type that is not known
	std::uint64_t late = 0;      // given, but after records with a later time
};

} // namespace uwind
