// SPDX-License-Identifier: GPL-2.0
// Two places of 32-bit Arm code that a system call explains. Where threads are made: clone_call_parts.h.
#pragma once

#include "elf/file.h"
#include "tables/row_builder.h"

#include <vector>

namespace uwind {

// Where signal handlers return to: what calls sigreturn or rt_sigreturn, of Thumb and of
// ARM code; from one byte earlier on, since that is where a return address is looked up.
// Where threads begin: from the child's branch after clone to its first call.
std::vector<Stretch> system_call_stretches_arm(const ElfFile& file);

} // namespace uwind
