// SPDX-License-Identifier: GPL-2.0
// From what is known about a frame to the module's rule.
#pragma once

#include "tables/cfi_program.h"

namespace uwind {

// reason says why the rule's kind is NONE. fp_lost: the row holds, but the
// caller's frame pointer is not known.
struct LoweredRule {
	Rule rule;
	CfiReason reason = CfiReason::none;
	bool fp_lost = false;
};

// A CFA of form stepped is taken without its step.
LoweredRule lower_frame(const FrameState& state, const FrameAbi& abi, bool signal_frame);

} // namespace uwind
