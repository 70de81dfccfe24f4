// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/text.h"

#include <algorithm>

namespace uwind {

ArmInstruction ArmText::decode(std::size_t at, bool thumb) const
{
	const Bytes rest = code_.subspan(at * 2);
	const std::uint32_t address = address_of(at);
	const std::size_t bytes = thumb ? 2 : 4;
	const bool zero =
		rest.size() >= bytes && std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(bytes),
						    [](std::uint8_t byte) { return !byte; });
	if (zero || (!thumb && address % 4))
		return ArmInstruction{};
	return decode_arm(rest, address, thumb);
}

} // namespace uwind
