// SPDX-License-Identifier: GPL-2.0
// Names of system calls by number.
#pragma once

#include <cstdint>
#include <string>

namespace uwind {

// Of this machine's ABI, or (compat) of its 32-bit one. "": there is no such system call.
std::string name_of_syscall(std::uint32_t number, bool compat);

} // namespace uwind
