// SPDX-License-Identifier: GPL-2.0
// Frames of 32-bit Arm by number. Paths meet few different frames, each of them at many places: what follows from one
// is worked out once, and most instructions leave the number as it is.
#pragma once

#include "tables/code/arm/frame.h"
#include "tables/isa/arm/instruction.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace uwind {

using ArmFrameNumber = std::uint32_t;

// Equal frames have one number. It grows: a reference to a frame holds until the next number is asked for.
class ArmFrameSet {
public:
	// At a function's first instruction; where nothing is known.
	static constexpr ArmFrameNumber first = 0, unknown = 1;

	ArmFrameSet();
	ArmFrameNumber number_of(const ArmFrame& frame);
	const ArmFrame& operator[](ArmFrameNumber number) const { return known_[number].frame; }
	// An instruction leaves the frame as it is.
	bool is_kept_by(const ArmInstruction& instruction, ArmFrameNumber number) const
	{
		if (instruction.flow == ArmFlow::call)
			return false;
		return !(registers_of(instruction) & known_[number].described) ||
		       accesses_what_is_not_saved(instruction, known_[number]);
	}
	// The frame after an instruction; after a call: when it has returned.
	ArmFrameNumber after(ArmFrameNumber number, const ArmInstruction& instruction)
	{
		return is_kept_by(instruction, number) ? number : changed(number, instruction);
	}
	ArmFrameNumber at_jump(ArmFrameNumber number);
	// What holds on two ways to one place; nothing: they contradict each other.
	std::optional<ArmFrameNumber> join(ArmFrameNumber number, ArmFrameNumber other)
	{
		return number == other ? number : joined(number, other);
	}

private:
	static constexpr ArmFrameNumber none = ~ArmFrameNumber{0};

	struct Known {
		ArmFrame frame;
		std::uint16_t described;                        // registers
		ArmFrameNumber after_call = none, jumps = none; // none: not asked for yet
	};
	// What an instruction that is no call does to a frame.
	struct Change {
		ArmFrameNumber before = none, after = none;
		ArmAction action = ArmAction::none;
		std::uint8_t to = 0, base = 0;
		std::uint16_t registers = 0, writes = 0;
		std::int32_t offset = 0, moved = 0;
	};
	// Of two different frames.
	struct Join {
		ArmFrameNumber number = first, other = first;
		std::optional<ArmFrameNumber> both;
	};
	struct Hash {
		std::size_t operator()(const ArmFrame& frame) const { return frame.hash(); }
	};

	// Those that its effect on a frame depends on.
	static std::uint16_t registers_of(const ArmInstruction& instruction)
	{
		unsigned mask = instruction.writes | instruction.registers;
		mask |= instruction.action == ArmAction::none ? 0 : 1u << instruction.base;
		return static_cast<std::uint16_t>(mask |
						  (instruction.action == ArmAction::add ? 1u << instruction.to : 0));
	}
	std::optional<ArmFrameNumber> joined(ArmFrameNumber number, ArmFrameNumber other);
	static bool accesses_what_is_not_saved(const ArmInstruction& instruction, const Known& known);
	ArmFrameNumber changed(ArmFrameNumber number, const ArmInstruction& instruction);
	ArmFrameNumber after_call(ArmFrameNumber number, const ArmInstruction& call);
	ArmFrameNumber executed(ArmFrameNumber number, const ArmInstruction& instruction);

	std::vector<Known> known_;
	std::unordered_map<ArmFrame, ArmFrameNumber, Hash> numbers_;
	ArmFrameNumber last_ = first;
	// Made lately.
	std::vector<Change> changes_;
	std::vector<Join> joins_;
};

} // namespace uwind
