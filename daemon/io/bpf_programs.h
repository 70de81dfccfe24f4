// SPDX-License-Identifier: GPL-2.0
// BPF programs that the kernel has compiled.
#pragma once

#include <cstdint>
#include <map>

namespace uwind {

// Of each function of a program, its bytes by its address. Empty: there are none, or this user may not see them.
std::map<std::uint64_t, std::uint64_t> lengths_of_bpf_programs();

} // namespace uwind
