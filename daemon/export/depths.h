// SPDX-License-Identifier: GPL-2.0
// How deep the stacks of a report's samples are, in bytes: by thread, and by function.
//
//   SP of the innermost frame    --+
//     ...                          |  the sum of stack_bytes: each is the next frame's SP less its own
//   SP of the outermost frame    --+
//     arguments and environment, or what the C library has of the thread: not counted
#pragma once

#include <vector>

#include "model/report.h"

namespace uwind {

// So many inner frames have sizes to rely on. The frame pointer may have been none, and have led anywhere: if the stack
// is not complete, what follows a step by it is not counted.
std::size_t counted_frames(const ReportStack& stack);
std::uint64_t counted_bytes(const ReportStack& stack);

// The deepest stack of a thread that its samples have.
struct ThreadDepth {
	std::optional<ReportSample> sample; // the first one with that stack; it has a user stack
	std::uint64_t bytes = 0;
	bool exact = false;        // no frame's size is unknown, but the outermost one's, and the stack is complete
	std::uint64_t samples = 0; // weights of all of the thread's samples with a stack
};

// One for each thread of each process, the deepest first.
std::vector<ThreadDepth> depths_of(const Report& report);

// The largest frame that samples have of a function.
struct LargeFrame {
	Index frame = 0;
	Index stack = 0; // in which it is
	std::uint32_t bytes = 0;
};

// One for each function, the largest first. Code without a symbol is a function of its own.
std::vector<LargeFrame> largest_frames(const Report& report);

} // namespace uwind
