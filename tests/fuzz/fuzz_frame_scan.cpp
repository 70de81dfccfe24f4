// SPDX-License-Identifier: GPL-2.0
// Any code: reading it ends, within its bounds, and with a frame that could be one.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

extern "C" {
#include "frame_scan.h"
}

namespace {

void require(bool condition)
{
	if (!condition)
		__builtin_trap();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
	if (size < 8)
		return 0;
	std::vector<u32> code(size / 4 - 1);
	u32 at, word, turns = 0;
	std::memcpy(&at, data, sizeof(at));
	std::memcpy(code.data(), data + 4, code.size() * 4);
	uw_frame_scan scan;
	uw_frame_scan_begin(&scan, u32(code.size()), at % (u32(code.size()) + 1));
	while (uw_frame_scan_wants(&scan, &word)) {
		require(word < code.size());
		require(++turns <= code.size() * UW_FRAME_SCAN_PASSES);
		const u32 piece = std::min(u32(code.size()) - word, 1 + (at >> 16) % 40);
		uw_frame_scan_feed(&scan, code.data() + word, piece);
		require(scan.nr_targets <= UW_FRAME_SCAN_TARGETS && scan.cursor <= scan.nr_targets);
		for (u32 i = 1; i < scan.nr_targets; i++)
			require(scan.targets[i - 1].word < scan.targets[i].word);
	}
	require(scan.passes <= UW_FRAME_SCAN_PASSES);
	if (scan.state.known)
		require(scan.state.sp_off >= 0 && scan.state.sp_off < 1 << 20 &&
			(!scan.state.fp_set || scan.state.fp_off >= 0));
	return 0;
}
