// SPDX-License-Identifier: GPL-2.0
// The functions around addresses, inlined ones included (DWARF 5, 3.3.8).
#pragma once

#include <elfutils/libdw.h>
#include <vector>

namespace uwind {

struct ScopeLimits {
	unsigned depth = 256;           // of entries in entries
	std::size_t entries = 50000000; // that are looked at for one unit
};

// Outermost first: a function, then those that were inlined into it. Empty: none is known there.
using FunctionScopes = std::vector<Dwarf_Die>;

// For each of the addresses, which are sorted. unit: the one that they belong to.
std::vector<FunctionScopes> scopes_at(Dwarf_Die unit, const std::vector<Dwarf_Addr>& addresses,
				      ScopeLimits limits = {});

} // namespace uwind
