// SPDX-License-Identifier: GPL-2.0
// Traced programs, and their registers by DWARF number.
#pragma once

#include <cstdint>
#include <sys/types.h>

extern "C" {
#include "types.h"
}

namespace truth {

// The architecture that this program is built for.
uw_arch own_arch();

// False: the thread is not stopped, or gone.
bool read_registers(pid_t tid, uw_regs& regs);

// Starts a program that is traced and stopped before its first instruction; -1: it
// cannot be started. It ends with the tracer.
pid_t start(char** command);

// Lets a thread that has just begun a program run to an address. False: it did not come there.
bool run_to(pid_t tid, std::uint64_t address);

} // namespace truth
