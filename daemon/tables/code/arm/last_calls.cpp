// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/last_calls.h"

#include <algorithm>

namespace uwind {

bool ArmLastCalls::never_returns(const ArmInstruction& call) const
{
	if (!call.has_target)
		return false;
	const std::size_t at = text_.place_of(call.target);
	return at < text_.places() ? functions_[at]
				   : std::binary_search(elsewhere_.begin(), elsewhere_.end(), call.target);
}

} // namespace uwind
