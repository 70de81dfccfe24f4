// SPDX-License-Identifier: GPL-2.0
// Modules, BPF programs and trampolines that are there now, by /proc/kallsyms and /proc/modules.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "model/kernel_region.h"

namespace uwind {

struct OwnedSymbols {
	std::map<std::string, std::shared_ptr<KernelSymbols>> modules;
	std::vector<KernelRegion> others; // how long each is at most: no symbol says it
};

// only: of these modules, and nothing else; empty: all.
OwnedSymbols owned_symbols(std::string_view kallsyms, const std::vector<std::string>& only);

// Each module's memory, its code first. It may lie in several places, and the region goes on over what lies between.
std::vector<KernelRegion> module_regions(std::string_view modules);

} // namespace uwind
