// SPDX-License-Identifier: GPL-2.0
// Descriptors of UWIND_IOC_WATCH_TEXT.
#pragma once

#include <cstdint>

#include "base/handle.h"
#include "base/result.h"

namespace uwind {

// That does not block. device: a descriptor of /dev/uwind. flags: UWIND_WATCH_*; bytes: of its ring.
Result<UniqueFd> watch_text(int device, std::uint32_t flags, std::uint32_t bytes);

} // namespace uwind
