// SPDX-License-Identifier: GPL-2.0
// One instruction of 32-bit Arm, T32 or A32: how long it is, where it leads, and what it
// does as far as frames are made of it.
#pragma once

#include "base/byte_cursor.h"

#include <cstdint>

namespace uwind {

enum class ArmFlow : std::uint8_t {
	next,
	jump,
	call,          // with a target, or through a register
	leave,         // as functions return
	computed_jump, // through a register or a table, or to an address that was loaded
	stop,          // nothing is known of what follows
};

enum class ArmAction : std::uint8_t {
	none,
	add,   // to = base + offset
	load,  // registers, in rising order, from base + offset on; then base += moved
	store, // the same to memory
};

// What makes an address out of two registers: base and index, and then to.
enum class ArmIndexed : std::uint8_t {
	no,
	table_of_bytes,  // tbb, through base
	table_of_halves, // tbh
	load,            // to = word at base + index * 4
	sum,             // to = base + index
	branches,        // to = base + index * 4
};

constexpr std::uint8_t arm_always = 14; // condition codes: A8.3

struct ArmInstruction {
	unsigned bytes = 0; // 0: not understood, or cut off
	ArmFlow flow = ArmFlow::next;
	std::uint8_t condition = arm_always; // of cbz and cbnz: eq and ne
	bool tests_register = false;         // cbz, cbnz
	bool sets_flags = false;             // in a block of conditional instructions
	bool has_target = false;             // of jump and call
	bool target_thumb = false;
	std::uint32_t target = 0;
	std::uint8_t through = 0; // calls and jumps without a target: the register; 15: memory
	// it: how many instructions are conditional, by which condition, and which of them by
	// the opposite one (bit 0: the first).
	std::uint8_t block = 0, block_condition = arm_always, opposite = 0;

	ArmAction action = ArmAction::none;
	std::uint8_t to = 0, base = 0;
	std::uint16_t registers = 0;
	std::int32_t offset = 0, moved = 0;
	std::uint16_t writes = 0; // registers that get a value of which nothing is known
	ArmIndexed indexed = ArmIndexed::no;
	std::uint8_t index = 0;
	// cmp: the register that is compared, with another one or (0xff) with value.
	std::uint8_t compared = 0xff, compared_with = 0xff;
	bool constant = false; // mov of an immediate: value
	std::uint32_t value = 0;
	// Data between instructions that is loaded (bytes), or pointed to (0 bytes).
	std::uint32_t literal = 0;
	std::uint8_t literal_bytes = 0;

	bool is_conditional() const { return condition != arm_always; }
};

// The instruction that code begins with, which lies at an address.
ArmInstruction decode_arm(Bytes code, std::uint32_t address, bool thumb);

} // namespace uwind
