// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm64/text.h"

#include <algorithm>
#include <cstring>

namespace uwind {

Arm64Text::Arm64Text(Bytes code, std::uint64_t address) : address_(address), words_(code.size() / 4)
{
	if (!words_.empty())
		std::memcpy(words_.data(), code.data(), words_.size() * 4);
}

bool Arm64Text::is_all_padding() const
{
	return std::all_of(words_.begin(), words_.end(),
			   [](std::uint32_t word) { return word == arm64_nop || word == 0; });
}

} // namespace uwind
