// SPDX-License-Identifier: GPL-2.0
// The unwind opcodes of 32-bit Arm.
#pragma once

#include "tables/cfi/rule.h"

namespace uwind {

// What a function's opcodes say about its frame at its calls. They say nothing about
// the code that makes and undoes the frame: at an exact pc there, the rule is wrong.
LoweredRule lower_ehabi(Bytes opcodes);

} // namespace uwind
