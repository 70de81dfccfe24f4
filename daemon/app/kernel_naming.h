// SPDX-License-Identifier: GPL-2.0
// Names of a report's kernel frames.
#pragma once

#include "app/aggregate.h"
#include "port/kernel_names.h"

namespace uwind {

// What kernel code is called: that of owners as it was then, the rest as it is now.
struct KernelCode {
	KernelNames& now;
	const KernelTimeline& then;
};

// Of each address, in order; each has an owner. Nothing: there is no name.
std::vector<std::optional<KernelTimeline::Name>> kernel_names(const std::vector<RawFunction>& places,
							      const KernelCode& code);

// Names those of the frames, which the report has at the same places, that are the kernel's, and adds its modules.
void name_kernel_frames(const std::vector<RawFrame>& frames, const KernelCode& code, Report& report);

} // namespace uwind
