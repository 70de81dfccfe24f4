// SPDX-License-Identifier: GPL-2.0
// Registers' numbers, and masks of them.
#pragma once

#include <cstdint>

extern "C" {
#include "types.h"
}

namespace uwind::arm_registers {

constexpr std::uint8_t sp = UW_ARM_SP, lr = UW_ARM_LR, pc = UW_ARM_PC, fp = UW_ARM_FP, r7 = UW_ARM_R7;

constexpr bool has(std::uint16_t mask, unsigned number)
{
	return mask >> number & 1;
}

constexpr std::uint16_t mask_of(std::uint8_t number)
{
	return static_cast<std::uint16_t>(1u << number);
}

} // namespace uwind::arm_registers
