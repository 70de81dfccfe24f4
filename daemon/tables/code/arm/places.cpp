// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/places.h"

namespace uwind {

std::size_t ArmPlaces::end_of_instruction(std::size_t at) const
{
	do
		at++;
	while (at < bytes_.size() && seen(at) == settled_inside);
	return at;
}

std::size_t ArmPlaces::end_of_settled(std::size_t at) const
{
	while (at < bytes_.size() && (is_settled(at) || seen(at) == settled_inside))
		at++;
	return at;
}

bool ArmPlaces::is_thumb_before(std::size_t end) const
{
	do
		end--;
	while (seen(end) == settled_inside);
	return is_thumb(end);
}

} // namespace uwind
