// SPDX-License-Identifier: GPL-2.0
// The machine that a report is about.
#pragma once

#include <cstdint>
#include <string>

namespace uwind {

struct Host {
	std::string kernel; // release, as uname -r
	std::string arch;   // of the kernel
	std::string hostname;
	std::string boot_id;
	std::string uwind; // version of this program
	std::uint32_t abi = 0;
};

} // namespace uwind
