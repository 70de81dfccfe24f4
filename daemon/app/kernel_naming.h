// SPDX-License-Identifier: GPL-2.0
// Names of a report's kernel frames.
#pragma once

#include <span>

#include "app/aggregate.h"
#include "port/kernel_names.h"

namespace uwind {

// Of those of the frames that are the kernel's, in order: what is to be named.
std::vector<std::uint64_t> kernel_addresses(const std::vector<RawFrame>& frames);

// Names these frames, which the report has at the same places, by what was found, and adds the kernel's modules.
void name_kernel_frames(const std::vector<RawFrame>& frames, std::span<const std::optional<KernelName>> found,
			KernelNames& names, Report& report);

} // namespace uwind
