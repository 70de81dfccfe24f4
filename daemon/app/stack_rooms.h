// SPDX-License-Identifier: GPL-2.0
// How much there is for the stacks of processes' first threads.
#pragma once

#include <unordered_map>

#include "model/report.h"
#include "port/processes.h"

namespace uwind {

class StackRooms {
public:
	explicit StackRooms(Processes& processes) : processes_(processes) {}

	// The mapping of a stack grows with it, so it is looked at whenever that is deeper than before; the process may
	// be gone later.
	void measure(Index index, std::uint64_t stack_bytes, ReportProcess& process);
	void clear() { deepest_.clear(); }

private:
	Processes& processes_;
	std::unordered_map<Index, std::uint64_t> deepest_; // by process, in bytes
};

} // namespace uwind
