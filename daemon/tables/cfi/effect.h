// SPDX-License-Identifier: GPL-2.0
// What call frame instructions do to the state of a frame, but for those that move on, remember or come back.
#pragma once

#include "tables/cfi/entry.h"
#include "tables/cfi/frame_states.h"

namespace uwind {

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

class FrameEffect {
public:
	// initial: what instructions restore registers to.
	FrameEffect(const FrameAbi& abi, const Cie& cie, const FrameState& initial, FrameState& state)
	    : abi_(abi), cie_(cie), initial_(initial), state_(state)
	{
	}

	// False: there is no such instruction.
	bool execute(ByteCursor& cursor, std::uint8_t op);
	// A register is where it was, or nowhere.
	void set_plain(std::uint64_t reg, Saved saved);

private:
	bool change_cfa(ByteCursor& cursor, std::uint8_t op);
	bool change_register(ByteCursor& cursor, std::uint8_t op);
	bool keep(ByteCursor& cursor, std::uint8_t op) const;
	void set_cfa(std::uint64_t reg, std::int64_t offset);
	void set_cfa_offset(std::int64_t offset);
	void set_cfa_expression(Bytes expression);
	void set_offset(std::uint64_t reg, std::int64_t offset, Saved saved);
	void set_register_value(SavedRegister& target, std::uint64_t other);
	void set_register(std::uint64_t reg, std::uint64_t other);
	void set_expression(std::uint64_t reg, Bytes expression, Saved saved);
	void restore(std::uint64_t reg);
	std::int64_t factored(std::int64_t value) const;
	SavedRegister* slot(FrameState& state, std::uint64_t reg) const;

	const FrameAbi& abi_;
	const Cie& cie_;
	const FrameState& initial_;
	FrameState& state_;
};

} // namespace uwind
