// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/last_calls.h"

#include <algorithm>

namespace uwind {

bool ArmLastCalls::never_returns(std::uint32_t function) const
{
	const std::size_t at = text_.place_of(function);
	return at < text_.places() ? functions_[at]
				   : std::binary_search(elsewhere_.begin(), elsewhere_.end(), function);
}

} // namespace uwind
