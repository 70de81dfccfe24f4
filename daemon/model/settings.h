// SPDX-License-Identifier: GPL-2.0
// The service's configuration, from its file and its command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/session.h"

namespace uwind {

inline constexpr const char* default_table_cache = "/var/cache/uwind/tables";

struct Settings {
	unsigned interval_s = 10; // between two reports
	std::string folder = "/var/lib/uwind/reports";
	unsigned keep = 360; // so many reports; older ones are removed
	std::uint64_t frequency = 99;
	Event event = Event::cpu_clock;
	std::string cgroup;              // "": any
	std::vector<std::uint32_t> cpus; // empty: all
	std::uint32_t max_depth = default_frames;
	std::uint32_t stack_bytes = most_stack_bytes;
	bool stack_depth = false;                      // reports say how deep stacks are
	bool no_arguments = false;                     // reports do not have the arguments of processes
	std::string table_cache = default_table_cache; // a folder; "": tables are not kept
	std::vector<std::string> keep_tables;          // files and folders of which tables are kept ahead
	bool verbose = false;
};

} // namespace uwind
