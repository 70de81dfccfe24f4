// SPDX-License-Identifier: GPL-2.0
// Small files of text, read whole.
#pragma once

#include <string>

#include "base/result.h"

namespace uwind {

// EFBIG: it is longer than that.
Result<std::string> read_text(const std::string& path, std::size_t most_bytes = 1 << 20);

} // namespace uwind
