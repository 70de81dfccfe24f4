// SPDX-License-Identifier: GPL-2.0
// Registers that the interrupted function has popped already: x86's CFI still says that they lie on the stack.
#pragma once

#include <array>
#include <vector>

#include "model/unfinished.h"

extern "C" {
#include "uw_port_walk.h"
#include "walk.h"
}

namespace uwind {

// Between the first pop of an epilogue and its return, GCC's CFI gives places below SP, which nobody copies. What was
// popped is in its register again: a word of memory with its value stands in for each such place. What a leaf function
// has saved below SP without moving it, and changed since, would be wrong; no compiler of the last ten years does that.
class PoppedRegisters {
public:
	// codes: those of the walk's architecture. Only of an exact pc whose code has a row.
	PoppedRegisters(const Unfinished& from, const std::vector<uw_port_code>& codes);

	// They point into this.
	std::vector<uw_port_slice> slices() const;

private:
	struct Word {
		std::uint64_t address;
		std::uint64_t value;
	};

	void add(const Unfinished& from, unsigned reg, std::uint64_t address);

	std::vector<Word> words_;
	const unsigned word_bytes_;
};

} // namespace uwind
