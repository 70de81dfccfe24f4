// SPDX-License-Identifier: GPL-2.0
// The kernel's deepest stacks as text, and as a part of the JSON report.
#pragma once

#include <iosfwd>

#include "base/text_writer.h"
#include "export/json_members.h"
#include "model/kernel_stacks.h"

namespace uwind {

// Each stack as a table, and the frames that take most, so many of them.
void write_kernel_stacks(const KernelStacks& stacks, std::size_t largest, std::ostream& out);

// The value of the report's key kernel_stacks.
void write_kernel_stacks_json(const KernelStacks& stacks, TextWriter& out);
void read_kernel_stacks(JsonMembers in, KernelStacks& stacks);

} // namespace uwind
