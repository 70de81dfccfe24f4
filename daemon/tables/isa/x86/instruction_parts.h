// SPDX-License-Identifier: GPL-2.0
// Bytes that look like an x86 instruction and are none.
#pragma once

#include "tables/isa/x86/instruction.h"

namespace uwind {

// A processor raises #UD there whatever it can do otherwise. ud0, ud1 and ud2 are instructions: compilers make them.
bool is_undefined_x86(const X86Instruction& instruction, bool is_64);

} // namespace uwind
