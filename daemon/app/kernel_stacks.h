// SPDX-License-Identifier: GPL-2.0
// Which of the kernel's deepest stacks are shown, and what their frames are called.
#pragma once

#include "model/kernel_stacks.h"
#include "port/kernel_names.h"

namespace uwind {

enum class KernelStacksPer { task, cpu, entry };

// Leaves the deepest of each task, CPU, or kind of entry and stack: at most top of them, deepest first.
void select_kernel_stacks(KernelStacks& stacks, KernelStacksPer per, std::size_t top);

void name_kernel_stacks(KernelStacks& stacks, KernelNames& names);

} // namespace uwind
