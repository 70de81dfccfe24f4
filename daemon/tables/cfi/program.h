// SPDX-License-Identifier: GPL-2.0
// Call frame instructions: what is known about a frame at each location.
#pragma once

#include "tables/cfi/effect.h"

#include <vector>

namespace uwind {

// Takes the rows of one function: [start, end) in addresses.
class FrameSink {
public:
	// A number stands for this state, and for functions of the same kind of CIE.
	virtual void row(std::uint64_t start, std::uint64_t end, const FrameState& state, FrameNumber number) = 0;
	// From now on numbers stand for other states.
	virtual void forget_numbers() = 0;
	// Nothing is known from start to the function's end.
	virtual void broken(std::uint64_t start, CfiReason reason) = 0;

protected:
	~FrameSink() = default;
};

constexpr unsigned max_remembered = 64;

class FrameProgram {
public:
	// Runs the CIEs' instructions.
	FrameProgram(const CfiSection& section, FrameAbi abi, FrameSink& sink);

	// Interpret a function's instructions up to address end. Every byte of
	// [fde.start, end) is reported to the sink once, in order.
	void run_fde(const Fde& fde, std::uint64_t end);

private:
	// What a CIE's instructions lead to.
	struct CieState {
		const Cie* cie = nullptr;
		FrameState state;
		CfiReason unusable = CfiReason::none; // none of its functions can be read
		std::uint32_t kind = 0;               // equal ones: the same instructions do the same
		FrameNumber number = no_frame_number; // of the state; none: not asked for yet
	};

	void run_cie(const Cie& cie);
	std::uint32_t kind_of(const Cie& cie, const CieState& state) const;
	void begin(CieState& initial, std::uint64_t start, std::uint64_t end);
	void run(ByteCursor cursor, std::uint64_t address);
	void fail(CfiReason reason) { failed_ = reason; }
	void step(ByteCursor& cursor, std::uint32_t next);
	bool step_location(ByteCursor& cursor, std::uint8_t op);
	bool step_state(std::uint8_t op);
	bool change(ByteCursor& cursor, std::uint32_t next);
	void advance(std::uint64_t delta);
	void move_to(std::uint64_t location);
	void remember();
	void restore_state();
	void forget_numbers();

	const CfiSection& section_;
	const FrameAbi abi_;
	FrameSink& sink_;
	FrameStates states_;
	std::vector<CieState> initial_; // of each CIE
	const CieState* cie_ = nullptr; // of what is being run
	FrameNumber now_ = no_frame_number;
	FrameNumber remembered_[max_remembered];
	unsigned depth_ = 0;
	std::uint64_t start_ = 0; // of the row that is being made
	std::uint64_t end_ = 0;
	std::uint64_t section_address_ = 0; // of the cursor's byte 0
	CfiReason failed_ = CfiReason::none;
};

} // namespace uwind
