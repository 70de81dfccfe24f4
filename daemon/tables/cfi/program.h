// SPDX-License-Identifier: GPL-2.0
// Call frame instructions: what is known about a frame at each location.
#pragma once

#include "tables/cfi/entry.h"
#include "tables/cfi/expression.h"

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
};

// Takes the rows of one function: [start, end) in addresses.
class FrameSink {
public:
	virtual void row(std::uint64_t start, std::uint64_t end, const FrameState& state) = 0;
	// Nothing is known from start to the function's end.
	virtual void broken(std::uint64_t start, CfiReason reason) = 0;

protected:
	~FrameSink() = default;
};

// Register numbers of an architecture, and what a CIE begins with.
struct FrameAbi {
	Arch arch;
	std::uint8_t fp, sp, ra;
	std::uint8_t base;    // the other register that is followed; 255: none
	std::uint8_t nr_regs; // that a rule can name
	bool has_link;        // a call leaves the return address in register ra
	std::uint8_t word;    // bytes
};
FrameAbi frame_abi(Arch arch);

// The state that a CIE's instructions lead to; unusable: none of its functions
// can be read.
struct CieState {
	FrameState state;
	CfiReason unusable = CfiReason::none;
};

constexpr unsigned max_remembered = 64;

class FrameProgram {
public:
	FrameProgram(const CfiSection& section, FrameAbi abi, FrameSink& sink)
	    : section_(section), abi_(abi), sink_(sink)
	{
	}

	CieState run_cie(const Cie& cie);
	// Interpret a function's instructions up to address end. Every byte of
	// [fde.start, end) is reported to the sink once, in order.
	void run_fde(const Fde& fde, const CieState& initial, std::uint64_t end);

private:
	void run(ByteCursor cursor, std::uint64_t address);
	void fail(CfiReason reason) { failed_ = reason; }
	void step(ByteCursor& cursor, std::uint8_t op);
	bool step_location(ByteCursor& cursor, std::uint8_t op);
	bool step_cfa(ByteCursor& cursor, std::uint8_t op);
	bool step_register(ByteCursor& cursor, std::uint8_t op);
	bool step_state(ByteCursor& cursor, std::uint8_t op);
	void advance(std::uint64_t delta);
	void move_to(std::uint64_t location);
	void set_cfa(std::uint64_t reg, std::int64_t offset);
	void set_cfa_offset(std::int64_t offset);
	void set_cfa_expression(Bytes expression);
	void set_offset(std::uint64_t reg, std::int64_t offset, Saved saved);
	void set_register_value(SavedRegister& target, std::uint64_t other);
	void set_register(std::uint64_t reg, std::uint64_t other);
	void set_expression(std::uint64_t reg, Bytes expression, Saved saved);
	void set_plain(std::uint64_t reg, Saved saved);
	void restore(std::uint64_t reg);
	void remember();
	void restore_state();
	std::int64_t factored(std::int64_t value) const;
	SavedRegister* slot(FrameState& state, std::uint64_t reg) const;

	const CfiSection& section_;
	const FrameAbi abi_;
	FrameSink& sink_;
	const Cie* cie_ = nullptr;
	const FrameState* initial_ = nullptr;
	FrameState state_;
	FrameState remembered_[max_remembered];
	unsigned depth_ = 0;
	std::uint64_t start_ = 0; // of the row that is being made
	std::uint64_t end_ = 0;
	std::uint64_t section_address_ = 0; // of the cursor's byte 0
	CfiReason failed_ = CfiReason::none;
};

} // namespace uwind
