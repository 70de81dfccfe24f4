// SPDX-License-Identifier: GPL-2.0
// Is a walked stack the shadow's?
//
//   short        ends early, by a named stop; what it shows is right
//   overwritten  a return address, or a register, on the stack is no longer what the call
//                left: the C++ runtime does that while it enters a handler; or a return
//                address is nowhere any more: __cxa_end_cleanup of 32-bit Arm needs none
//   jumping      in longjmp(), whose CFI describes where it jumps to, and at the C++
//                runtime's jump into a handler, before which it has popped its frame
#pragma once

#include "stepping.h"

#include <cstdio>
#include <iterator>

namespace truth {

enum class Verdict { right, incomplete, overwritten, jumping, wrong };
inline constexpr const char* verdict_words[] = {"right", "short", "overwritten", "jumping", "wrong"};
inline constexpr int nr_verdicts = std::size(verdict_words);

// Of the stack that was walked where the program is now.
Verdict judge(const Stack& stack, Stepping& at);

// Is that code the C++ runtime's, where frames are left?
bool in_unwinder(const Target& target, std::uint64_t pc);

// For people: what was walked beside what is so.
void show(std::FILE* to, const char* what, const Stack& stack, const Stepping& at, std::uint64_t step);

} // namespace truth
