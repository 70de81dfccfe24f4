// SPDX-License-Identifier: GPL-2.0
// Names of the functions of the kernel that were called.
#pragma once

#include <span>

#include "model/report.h"
#include "port/kernel_names.h"

namespace uwind {

// Fills in the report's functions and calls. addresses: in the functions that the calls name by index, and the names
// that were found of each; several may lie in one function.
void name_calls(std::vector<ReportCall> calls, const std::vector<std::uint64_t>& addresses,
		std::span<const std::optional<KernelName>> found, KernelNames& names, Report& report);

} // namespace uwind
