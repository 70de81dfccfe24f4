// SPDX-License-Identifier: GPL-2.0
// What the search for clone() asks of system_call_arm.cpp.
#pragma once

#include "tables/known/clone_call.h"

namespace uwind {

// Where threads are made in 32-bit Arm code.
std::vector<CloneCall> clone_calls_arm(const ElfFile& file);

} // namespace uwind
