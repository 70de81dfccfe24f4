// SPDX-License-Identifier: GPL-2.0
// A stretch of 32-bit Arm code. Places in it are halfwords, counted from its first.
// A place is decoded when a path comes there, when it is executed, and again at each further try of its function: a
// stretch keeps what it has decoded lately, one instruction for each slot.
#pragma once

#include "base/byte_cursor.h"
#include "tables/isa/arm/instruction.h"

#include <vector>

namespace uwind {

class ArmText {
public:
	ArmText(Bytes code, std::uint32_t address);

	Bytes code() const { return code_; }
	std::size_t places() const { return code_.size() / 2; }
	std::uint32_t address_of(std::size_t at) const { return address_ + static_cast<std::uint32_t>(at * 2); }
	// The place of an address; places(): it lies in no place of this stretch.
	std::size_t place_of(std::uint32_t address) const
	{
		const std::uint32_t into = address - address_;
		return into < places() * 2 ? into / 2 : places();
	}
	// Zeros are no instruction: they fill space. The result holds until another one than the
	// next is asked for.
	const ArmInstruction& decode(std::size_t at, bool thumb) const
	{
		Slot& slot = slots_[at & slot_mask_];
		const auto key = static_cast<std::uint32_t>(at * 2 + thumb + 1);
		if (slot.key != key)
			fill(slot, key, at, thumb);
		return slot.instruction;
	}

private:
	struct Slot {
		std::uint32_t key = 0; // 0: free
		ArmInstruction instruction;
	};

	void fill(Slot& slot, std::uint32_t key, std::size_t at, bool thumb) const;

	const Bytes code_;
	const std::uint32_t address_;
	const std::size_t slot_mask_;
	mutable std::vector<Slot> slots_; // by the lowest bits of a place
};

} // namespace uwind
