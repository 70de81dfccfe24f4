// SPDX-License-Identifier: GPL-2.0
// Sections whose contents are an .xz file.
#pragma once

#include "base/byte_cursor.h"
#include "base/result.h"

#include <vector>

namespace uwind {

// The decompressed contents, at most this many bytes. EBADMSG: broken, or larger.
Result<std::vector<std::uint8_t>> unpack_xz(Bytes packed, std::size_t max_bytes);

} // namespace uwind
