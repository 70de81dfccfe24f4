// SPDX-License-Identifier: GPL-2.0
// What is known of a process besides its name and program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace uwind {

struct ProcessDetails {
	std::uint32_t parent_pid = 0;
	std::uint32_t namespace_pid = 0;    // in its own pid namespace; 0: not known
	std::vector<std::string> arguments; // with what it was started; the first bytes of them, if they are long
	std::string cgroup;                 // of version 2: "/system.slice/…"; "": not known
	std::string container;              // its id, as the cgroup's path tells; "": none

	bool operator==(const ProcessDetails&) const = default;
};

} // namespace uwind
