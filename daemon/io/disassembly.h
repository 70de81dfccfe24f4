// SPDX-License-Identifier: GPL-2.0
// Machine code as assembly, by libcapstone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_cursor.h"
#include "model/arch.h"

namespace uwind {

struct Instruction {
	std::uint64_t address = 0;
	std::vector<std::uint8_t> bytes;
	std::string text;                    // x86 in AT&T's syntax, as objdump has it; of no instruction: ".byte 0x0f"
	std::optional<std::uint64_t> target; // where it jumps to, or what it calls
};

// One after the other, all bytes. What is no instruction, or is cut short, is data: a byte, or a word on arm64.
std::vector<Instruction> disassemble(Arch arch, Bytes code, std::uint64_t address);

} // namespace uwind
