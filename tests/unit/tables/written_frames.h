// SPDX-License-Identifier: GPL-2.0
// Frames as the module's encoder writes them.
#pragma once

#include <vector>

extern "C" {
#include "frame_code.h"
}

inline std::vector<u8> written(const std::vector<uw_frame>& frames)
{
	std::vector<u8> code(frames.size() * UW_FRAME_CODE_BYTES);
	code.resize(uw_frame_code_write(code.data(), static_cast<u32>(code.size()), frames.data(),
					static_cast<u32>(frames.size())));
	return code;
}
