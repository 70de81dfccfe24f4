// SPDX-License-Identifier: GPL-2.0
// Traced programs: how they begin, and how they run to somewhere.
#pragma once

#include "registers.h"

#include <vector>

namespace truth {

// Starts a program that is traced and stopped before its first instruction; -1: it
// cannot be started. It ends with the tracer.
pid_t start(char** command);

// AT_ENTRY of a program that has just been executed; with Thumb's bit. 0: not known.
std::uint64_t entry_of(pid_t pid);

// Lets a thread run to the first of some addresses, 32-bit Arm's with Thumb's bit. False:
// it came to none.
bool run_to(pid_t tid, const std::vector<std::uint64_t>& addresses);

} // namespace truth
