// SPDX-License-Identifier: GPL-2.0
// Exclusive loads and stores are never one step apart: the stop between them takes the
// exclusiveness away, and the program tries again for ever. It must run from one to the other.
#pragma once

#include "target.h"

namespace truth {

// If an exclusive load is next: where control can be once its store is done or was left
// out, 32-bit Arm's addresses with Thumb's bit. Empty: it is not, or no end was found.
std::vector<std::uint64_t> exclusive_ends(const uw_regs& regs, Target& target);

} // namespace truth
