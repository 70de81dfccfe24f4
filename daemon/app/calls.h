// SPDX-License-Identifier: GPL-2.0
// Names of the functions of the kernel that were called.
#pragma once

#include "model/report.h"
#include "port/kernel_names.h"

namespace uwind {

// Fills in the report's functions and calls. addresses: in the functions that the calls name by index; several may lie
// in one function.
void name_calls(std::vector<ReportCall> calls, const std::vector<std::uint64_t>& addresses, KernelNames& names,
		Report& report);

} // namespace uwind
