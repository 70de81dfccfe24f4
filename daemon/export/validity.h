// SPDX-License-Identifier: GPL-2.0
// What a report says that cannot be, though it has the right form.
#pragma once

#include <string>
#include <vector>

#include "model/report.h"

namespace uwind {

constexpr std::size_t most_flaws = 20; // that are named; further ones are not looked for

// Each names its place: "stacks[3]: …". What read_json() refuses is not looked for: unknown words, indices of nothing.
// Rules:
//   requested = answered + the sum of lost + pending
//   a sample stands for at least one request, or event
//   a stack has a reason for its end, and its innermost frame is where the program counter was
//   a function begins at or before a frame of it
//   a kernel_stack has the kernel's frames, a user_stack none
std::vector<std::string> flaws_of(const Report& report);

} // namespace uwind
