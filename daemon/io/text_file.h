// SPDX-License-Identifier: GPL-2.0
// Reads small text files.
#pragma once

#include <string>

#include "base/result.h"

namespace uwind {

// All of the file's text. EFBIG: it is longer than most_bytes.
Result<std::string> read_text(const std::string& path, std::size_t most_bytes = 1 << 20);

} // namespace uwind
