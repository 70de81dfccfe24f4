// SPDX-License-Identifier: GPL-2.0
// Names of the functions of the kernel that were called.
#pragma once

#include "app/kernel_naming.h"
#include "model/report.h"

namespace uwind {

// Fills in the report's functions and calls. places: in the functions that the calls name by index; several may lie in
// one function.
void name_calls(std::vector<ReportCall> calls, const std::vector<RawFunction>& places, const KernelCode& code,
		Report& report);

} // namespace uwind
