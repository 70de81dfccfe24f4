// SPDX-License-Identifier: GPL-2.0
// All that opening a file has learned of it, as a digest.
#pragma once

#include "base/digest.h"
#include "elf/file.h"

namespace uwind {

// Files with the same one differ only in bytes that ElfImage reads on demand.
void add_headers(Digest& digest, const ElfFile& file);

} // namespace uwind
