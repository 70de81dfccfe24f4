// SPDX-License-Identifier: GPL-2.0
// What is known of a frame between two call frame instructions, and such states by number: functions meet few different
// ones, and the same instructions lead from one to the next. A step that was made before is looked up.
#pragma once

#include "base/byte_cursor.h"
#include "tables/cfi/expression.h"
#include "tables/cfi/reason.h"

#include <vector>

namespace uwind {

enum class Saved : std::uint8_t {
	unspecified,
	undefined,
	same,
	value,   // the register's value is: how
	at,      // the register's value lies in memory at: how
	unknown, // an expression of another form
};

// Where a caller's register is found.
struct SavedRegister {
	Saved saved = Saved::unspecified;
	Symbolic how;

	bool operator==(const SavedRegister&) const = default;
};

// All that the row for one location needs.
struct FrameState {
	Symbolic cfa;
	CfiReason no_cfa = CfiReason::no_cfa; // none: cfa is valid
	// Register and offset that were set last: an expression leaves them, and
	// instructions that change one of the two build on the other.
	std::uint64_t cfa_register = cfa_base;
	std::int64_t cfa_offset = 0;
	bool cfa_is_expression = false;
	SavedRegister ra, fp, sp, base;

	bool operator==(const FrameState&) const = default;
};

using FrameNumber = std::uint32_t;
inline constexpr FrameNumber no_frame_number = ~FrameNumber{0};

// A kind tells apart functions in which the same instruction does something else.
class FrameStates {
public:
	// bytes: of the section that is read; few need few steps.
	explicit FrameStates(std::size_t bytes);

	// Mostly equal states of a kind have one number.
	FrameNumber number_of(const FrameState& state, std::uint32_t kind);
	const FrameState& operator[](FrameNumber number) const { return known_[number].state; }
	// There is no room for another one: clear() comes first.
	bool full() const { return known_.size() >= max_states; }
	void clear();

	// An instruction that leads from one state to another; next: the bytes that begin with it.
	struct Step {
		FrameNumber before = no_frame_number, after = 0;
		std::uint32_t next = 0;
		std::uint8_t bytes = 0; // of the instruction
		std::uint8_t shift = 0; // leaves the instruction's bits of next

		bool is(FrameNumber number, std::uint32_t bits) const
		{
			return before == number && !((next ^ bits) << shift);
		}
	};
	// Null: it has not been made, or was forgotten.
	const Step* find_step(FrameNumber before, std::uint32_t next) const
	{
		const Step& step = steps_[slot_of(before, next)];
		return step.is(before, next) ? &step : nullptr;
	}
	// Longer ones than four bytes are not kept.
	void note_step(FrameNumber before, std::uint32_t next, std::uint64_t bytes, FrameNumber after);

private:
	static constexpr std::size_t max_states = 4096;

	struct Known {
		FrameState state;
		std::uint32_t kind;
	};

	// Most instructions have one operand, but for those that restore a register.
	std::size_t slot_of(FrameNumber before, std::uint32_t next) const
	{
		constexpr std::uint32_t no_operand = 0xc0;
		const std::uint32_t seen = (next & no_operand) == no_operand ? next & 0xff : next & 0xffff;
		return ((std::uint64_t{before} << 16 | seen) * 0x9e3779b97f4a7c15) >> step_shift_;
	}

	std::vector<Known> known_;
	std::vector<FrameNumber> slots_; // number + 1 by hash; 0: free
	std::vector<Step> steps_;
	unsigned step_shift_;
};

} // namespace uwind
