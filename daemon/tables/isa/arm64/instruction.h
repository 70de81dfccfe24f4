// SPDX-License-Identifier: GPL-2.0
// One instruction of arm64: where it leads, and what it does as far as frames are made of it.
#pragma once

#include <cstdint>
#include <optional>

namespace uwind {

constexpr std::uint32_t arm64_nop = 0xd503201f;

enum class Arm64Way : std::uint8_t {
	next,
	branch, // perhaps
	jump,
	computed_jump, // br
	call,          // with a target, or through a register
	leave,         // as functions return
	stop,          // nothing is known of what follows
};

struct Arm64Flow {
	Arm64Way way = Arm64Way::next;
	std::uint8_t through = 0;  // computed jumps: the register
	bool has_target = false;   // of branches, jumps and calls
	std::int64_t distance = 0; // in bytes, to the target
};

Arm64Flow flow_arm64(std::uint32_t word);

// False: zeros, as where text was blanked, and most of what no processor knows.
bool is_instruction_arm64(std::uint32_t word);

// A load or store of one register, or of two that lie side by side.
struct Arm64Access {
	bool load = false, vector = false;
	bool whole = false;                             // 64 bits of each register
	bool known_offset = false;                      // false: another register has it
	std::uint8_t first = 0, second = 0;             // equal: one; 31: zero
	std::uint8_t base = 0;                          // 31: SP
	std::int32_t offset = 0;                        // from the base as it is at the access
	std::int32_t bytes = 0;                         // between two registers' places
	std::int32_t moved_before = 0, moved_after = 0; // the base
};

std::optional<Arm64Access> access_arm64(std::uint32_t word);

// add and sub of an immediate; mov from and to SP is one of them.
struct Arm64Sum {
	std::uint8_t to = 0, from = 0; // 31: SP
	std::int32_t value = 0;
	bool sets_flags = false; // then 31 is no register to write
	bool whole = false;      // all 64 bits
};

std::optional<Arm64Sum> sum_arm64(std::uint32_t word);

// movz, and movk: a number that a register gets, or some of its bits.
struct Arm64Part {
	std::uint8_t to = 0;
	std::uint64_t value = 0;
	std::uint64_t kept = 0; // bits that stay as they were
};

std::optional<Arm64Part> part_arm64(std::uint32_t word);

// add and sub of a register to and from SP.
struct Arm64Shift {
	std::uint8_t by = 0;
	bool down = false;
};

std::optional<Arm64Shift> shift_arm64(std::uint32_t word);

// It takes a known number of bytes from the stack.
bool lowers_sp_arm64(std::uint32_t word);

// adr and adrp.
struct Arm64Near {
	std::uint8_t to = 0;
	bool of_page = false;      // from the instruction's page to another one
	std::int64_t distance = 0; // in bytes
};

std::optional<Arm64Near> near_arm64(std::uint32_t word);

// The register that gets another value, 31 for SP, of instructions that compute one or
// load it from beside the code, or from the processor.
std::optional<std::uint8_t> written_arm64(std::uint32_t word);

// nop, and what older processors take for it, such as the signing of a return address.
bool is_hint_arm64(std::uint32_t word);
// It signs the return address, as functions begin.
bool signs_arm64(std::uint32_t word);

} // namespace uwind
