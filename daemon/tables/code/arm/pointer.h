// SPDX-License-Identifier: GPL-2.0
// Addresses of functions among the data that 32-bit Arm code loads.
#pragma once

#include "tables/code/arm/proof.h"

#include <optional>

namespace uwind {

// The address in this stretch that an instruction loads, or that is the sum of what it loads and of PC, where that is
// added; nothing: it loads no address.
std::optional<std::uint32_t> pointer_loaded_at(std::size_t at, const ArmText& text, const ArmProof& proof);

} // namespace uwind
