// SPDX-License-Identifier: GPL-2.0
#include "tables/code/arm/pointer.h"

extern "C" {
#include "types.h"
}

namespace uwind {
namespace {

constexpr unsigned max_steps_to_sum = 24; // from the load of a distance to its addition

// It adds what the load has loaded to PC.
bool adds_to_pc(const ArmInstruction& sum, const ArmInstruction& load)
{
	const std::uint8_t other = sum.base == UW_ARM_PC ? sum.index : sum.base;
	return sum.indexed == ArmIndexed::sum && (sum.base == UW_ARM_PC || sum.index == UW_ARM_PC) &&
	       load.writes >> other & 1;
}

} // namespace

std::optional<std::uint32_t> pointer_loaded_at(std::size_t at, const ArmText& text, const ArmProof& proof)
{
	const bool thumb = proof.places().is_thumb(at);
	const ArmInstruction load = text.decode(at, thumb);
	const std::size_t word = load.literal_bytes == 4 ? text.place_of(load.literal) : text.places();
	if (word + 1 >= text.places() || load.action != ArmAction::none)
		return {};
	const std::uint32_t value = ByteCursor(text.code(), word * 2).u32();
	std::size_t next = at + load.bytes / 2;
	for (unsigned i = 0; i < max_steps_to_sum && next < text.places() && proof.places().is_thumb(next) == thumb;
	     i++) {
		const ArmInstruction sum = text.decode(next, thumb);
		const std::uint32_t pointer = value + text.address_of(next) + (thumb ? 4 : 8);
		if (adds_to_pc(sum, load))
			return text.place_of(pointer) < text.places() ? std::optional(pointer) : std::nullopt;
		if (!sum.bytes || sum.writes & load.writes)
			break;
		next += sum.bytes / 2;
	}
	return {};
}

} // namespace uwind
