// SPDX-License-Identifier: GPL-2.0
#include "bench/walk/ours.h"

#include <algorithm>

namespace bench {

OurWalk::OurWalk(const LoadedCode& code, const Stack& stack, Method method, Known known)
    : regs_(stack.regs), method_(method), known_(known), codes_(code.for_stack(stack, method)),
      frames_(stack.pcs.size() + 1)
{
	const u64 sp = regs_.r[uw_arch_sp(native)];
	slice_ = {sp, stack.end - sp, reinterpret_cast<const u8*>(sp)};
	port_.code = codes_.data();
	port_.nr_codes = static_cast<u32>(codes_.size());
	port_.slices = &slice_;
	port_.nr_slices = 1;
	port_.word_bytes = uw_abis[native].word;
	port_.key = 1;
}

void OurWalk::run()
{
	walk_ = {};
	if (known_ != Known::nothing)
		memory_.lend(walk_);
	if (known_ == Known::steps)
		walk_.along = nullptr;
	walk_.regs = regs_;
	walk_.arch = native;
	walk_.max_frames = static_cast<u32>(frames_.size());
	walk_.frames = frames_.data();
	port_.covered = 0; // each walk finds out anew whether mappings are what they were
	uw_walk_run(&walk_, &port_);
}

Addresses OurWalk::seen() const
{
	Addresses pcs;
	for (u32 i = 0; i < walk_.nr_frames; i++)
		pcs.push_back(frames_[i].pc);
	return pcs;
}

std::size_t OurWalk::nr_by_method() const
{
	const auto by_method = [this](const uw_frame& frame) {
		switch (method_) {
		case Method::sframe:
			return frame.method >= UW_METHOD_SFRAME_V1 && frame.method <= UW_METHOD_SFRAME_V3;
		case Method::eh_frame:
			return frame.method == UW_METHOD_EH_FRAME;
		default:
			return frame.method == UW_METHOD_FP;
		}
	};
	return static_cast<std::size_t>(std::count_if(frames_.begin(), frames_.begin() + walk_.nr_frames, by_method));
}

} // namespace bench
