// SPDX-License-Identifier: GPL-2.0
// Folded stacks: "comm;outermost;…;innermost weight", for flame graphs.
#pragma once

#include <iosfwd>
#include <string>

#include "model/report.h"

namespace uwind {

// One line per different text, sorted. Samples without a stack are left out.
void write_folded(const Report& report, std::ostream& out);

// A frame as people read it: the symbol, else "[module+0xoffset]", else the address.
std::string frame_text(const Report& report, Index frame);

} // namespace uwind
