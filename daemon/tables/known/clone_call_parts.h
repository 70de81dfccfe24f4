// SPDX-License-Identifier: GPL-2.0
// clone() in 32-bit Arm code, which system_call_arm.cpp finds.
#pragma once

#include "tables/known/clone_call.h"

namespace uwind {

// Where threads are made in 32-bit Arm code.
std::vector<CloneCall> clone_calls_arm(const ElfFile& file);

} // namespace uwind
