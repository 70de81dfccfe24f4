// SPDX-License-Identifier: GPL-2.0
// From what is known about a frame to the module's rule.
#pragma once

#include "tables/cfi/program.h"

namespace uwind {

// reason says why the rule's kind is NONE. fp_lost: the row holds, but the
// caller's frame pointer is not known.
struct LoweredRule {
	Rule rule;
	CfiReason reason = CfiReason::none;
	bool fp_lost = false;
};

// arm64's PLT header pushes the link register before it jumps to the dynamic
// linker's resolver, and glibc counts that resolver's CFA from there: the link
// register then lies above it. How many bytes the CFA is too low; 0: not so.
std::int64_t missing_cfa_bytes(const FrameState& state, const FrameAbi& abi);

// The same frame with a CFA that lies higher by so many bytes.
FrameState raise_cfa(FrameState state, const FrameAbi& abi, std::int64_t bytes);

// A CFA of form stepped is taken without its step.
LoweredRule lower_frame(const FrameState& state, const FrameAbi& abi, bool signal_frame);

} // namespace uwind
