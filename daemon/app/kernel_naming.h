// SPDX-License-Identifier: GPL-2.0
// Names of a report's kernel frames.
#pragma once

#include "app/aggregate.h"
#include "port/kernel_names.h"

namespace uwind {

// Names those of the frames, which the report has at the same places, that are the kernel's, and adds its modules.
void name_kernel_frames(const std::vector<RawFrame>& frames, KernelNames& names, Report& report);

} // namespace uwind
