// SPDX-License-Identifier: GPL-2.0
// Registers' numbers.
#pragma once

#include <cstdint>

extern "C" {
#include "types.h"
}

namespace uwind::arm64_registers {

constexpr std::uint32_t fp = UW_ARM64_FP, link = UW_ARM64_LR, sp = UW_ARM64_SP;

} // namespace uwind::arm64_registers
