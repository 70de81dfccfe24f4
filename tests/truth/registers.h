// SPDX-License-Identifier: GPL-2.0
// A traced thread's registers, by DWARF number.
#pragma once

#include <sys/types.h>

extern "C" {
#include "types.h"
}

namespace truth {

// The architecture that this program is built for.
uw_arch own_arch();

// False: the thread is not stopped, or gone.
bool read_registers(pid_t tid, uw_regs& regs);

} // namespace truth
