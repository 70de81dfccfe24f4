// SPDX-License-Identifier: GPL-2.0
// How deep stacks are, in a terminal: by thread, and as the kernel's stack_trace shows its own.
#pragma once

#include <iosfwd>

#include "model/report.h"

namespace uwind {

void write_stack_depth(const Report& report, std::ostream& out);

} // namespace uwind
