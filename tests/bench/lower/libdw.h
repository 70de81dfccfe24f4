// SPDX-License-Identifier: GPL-2.0
// The same CFI as libdw reads it.
#pragma once

#include <cstdint>
#include <optional>

namespace bench {

// Each row of each function that .eh_frame_hdr lists: the number of rows. Nothing: the file has no such CFI.
std::optional<std::uint64_t> libdw_rows(int fd);

// Each entry of .eh_frame: their number. Nothing: the file has none.
std::optional<std::uint64_t> libdw_entries(int fd);

} // namespace bench
