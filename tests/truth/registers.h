// SPDX-License-Identifier: GPL-2.0
// The registers of traced threads by DWARF number, of both word sizes.
#pragma once

#include <cstdint>
#include <sys/types.h>

extern "C" {
#include "types.h"
}

namespace truth {

// The architecture that this program is built for.
uw_arch own_arch();

// Its 32-bit companion.
uw_arch own_compat_arch();

// One of the two: what a stopped thread's code is for. NONE: it is not stopped, or gone.
uw_arch arch_of(pid_t tid);

// False: the thread is not stopped, or gone.
bool read_registers(pid_t tid, uw_regs& regs);
bool set_pc(pid_t tid, std::uint64_t pc);

} // namespace truth
