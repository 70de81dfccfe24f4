// SPDX-License-Identifier: GPL-2.0
// What the module will say about rows: its own check, run before it has them.
#pragma once

#include "base/result.h"
#include "model/table_rows.h"

namespace uwind {

// EINVAL: the module would refuse them; the message says which and why.
Status check_rows(const TableRows& table, Arch arch);

// Kernel memory that the packed table takes.
std::uint64_t module_bytes(const TableRows& table);

} // namespace uwind
