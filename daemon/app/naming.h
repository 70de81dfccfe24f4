// SPDX-License-Identifier: GPL-2.0
// From collected frames to a report's modules and named frames.
#pragma once

#include "app/aggregate.h"
#include "app/modules.h"
#include "app/symbols.h"
#include "port/kernel_names.h"

namespace uwind {

// The ELF file's virtual address of a file offset; the offset itself if no
// segment holds it.
std::uint64_t address_in(const std::vector<Segment>& segments, std::uint64_t offset);

// Fills the report's processes, modules, frames, stacks and samples.
void fill_report(Collected collected, Modules& modules, Symbols& symbols, KernelNames& kernel_names, Report& report);

} // namespace uwind
