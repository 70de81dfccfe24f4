// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/text.h"

#include <algorithm>
#include <bit>
#include <new>

namespace uwind {
namespace {

constexpr std::size_t min_slots = 4;    // an instruction and the one after it have two
constexpr std::size_t max_slots = 4096; // more than a function has places, mostly

} // namespace

ArmText::ArmText(Bytes code, std::uint32_t address)
    : code_(code), address_(address), slot_mask_(std::clamp(std::bit_ceil(places()), min_slots, max_slots) - 1),
      slots_(slot_mask_ + 1)
{
}

void ArmText::fill(Slot& slot, std::uint32_t key, std::size_t at, bool thumb) const
{
	const Bytes rest = code_.subspan(at * 2);
	const std::uint32_t address = address_of(at);
	const bool zero = thumb ? rest.size() >= 2 && !half_at(rest, 0) : rest.size() >= 4 && !word_at(rest, 0);
	slot.key = key;
	new (&slot.instruction) ArmInstruction(
		zero || (!thumb && address % 4) ? ArmInstruction{} : decode_arm(rest, address, thumb)); // in place
}

} // namespace uwind
