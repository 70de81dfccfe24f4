// SPDX-License-Identifier: GPL-2.0
// From collected frames to a report's modules and named frames.
#pragma once

#include "app/kernel_naming.h"
#include "app/modules.h"
#include "app/symbols.h"

namespace uwind {

// The ELF file's virtual address of a file offset; the offset itself if no
// segment holds it.
std::uint64_t address_in(const std::vector<Segment>& segments, std::uint64_t offset);

// Fills the report's processes, modules, frames, stacks and samples.
void fill_report(Collected collected, Modules& modules, Symbols& symbols, const KernelCode& kernel, Report& report);

} // namespace uwind
