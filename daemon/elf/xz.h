// SPDX-License-Identifier: GPL-2.0
// Sections that are an .xz file each.
#pragma once

#include "base/byte_cursor.h"
#include "base/result.h"

#include <vector>

namespace uwind {

// What is packed in them, at most this many bytes. EBADMSG: broken, or more than that.
Result<std::vector<std::uint8_t>> unpack_xz(Bytes packed, std::size_t max_bytes);

} // namespace uwind
