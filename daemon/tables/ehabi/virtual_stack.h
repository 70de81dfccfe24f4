// SPDX-License-Identifier: GPL-2.0
// The virtual stack pointer (vsp) of 32-bit Arm's unwind opcodes, and the registers popped from it.
//
// vsp is a register plus an offset until a popped register becomes it; then it is a word in memory plus an offset. In
// the end it is the CFA.
#pragma once

#include "tables/cfi/program.h"

#include <array>
#include <optional>

namespace uwind {

class VirtualStack {
public:
	VirtualStack();
	void move(std::int64_t bytes);
	// vsp becomes a register's value: what was popped into it, or what it has now.
	[[nodiscard]] CfiReason set(std::uint8_t reg);
	// A mask of registers. The lowest register lies lowest; what is popped into SP becomes vsp.
	[[nodiscard]] CfiReason pop(unsigned registers);
	// Whether vsp lies where nothing overwrites it.
	[[nodiscard]] CfiReason check() const;
	// The frame, once all opcodes are applied.
	FrameState frame() const;

private:
	static constexpr unsigned nr_core_regs = 16;

	SavedRegister saved(unsigned reg) const;

	Symbolic vsp_;
	std::array<std::optional<Symbolic>, nr_core_regs> popped_; // where each lay
};

} // namespace uwind
