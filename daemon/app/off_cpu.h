// SPDX-License-Identifier: GPL-2.0
// Why threads were off their CPUs.
#pragma once

#include "model/report.h"
#include "port/kernel_names.h"

namespace uwind {

// Fills in system calls, wait channels and reasons. The report's kernel frames have their names.
void explain_off_cpu(KernelNames& names, Report& report);

} // namespace uwind
