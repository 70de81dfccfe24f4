// SPDX-License-Identifier: GPL-2.0
// What the kernel tells of processes' lives.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/records.h"

namespace uwind {

// A process, during one exec of it. What ThreadRecord says of one is the same.
struct ProcessImage {
	std::uint32_t pid = 0;
	std::uint64_t start_time_ns = 0; // of the process, CLOCK_BOOTTIME
	std::uint64_t exec_id = 0;

	auto operator<=>(const ProcessImage&) const = default;
};

struct LifeEvent {
	ProcessImage image;
	std::uint64_t time_ns = 0; // CLOCK_BOOTTIME
};

struct ProcessForked : LifeEvent {
	ProcessImage parent;
	std::uint32_t namespace_pid = 0;
	std::string comm;
};

struct ProcessExecuted : LifeEvent {
	std::uint32_t parent_pid = 0;
	std::uint32_t namespace_pid = 0;
	std::uint32_t mount_namespace = 0; // its inode number
	std::string comm;
	std::vector<std::string> arguments; // the first bytes of them
	std::string exe;                    // as the process sees it; "": not known
	std::string cgroup;                 // "": not known
};

struct ProcessExited : LifeEvent {};

struct ProcessRenamed : LifeEvent {
	std::string comm;
};

struct FileMapped : LifeEvent {
	Mapping mapping; // executable
};

using LifeRecord = std::variant<ProcessForked, ProcessExecuted, ProcessExited, ProcessRenamed, FileMapped>;

} // namespace uwind
