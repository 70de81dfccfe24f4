// SPDX-License-Identifier: GPL-2.0
// Kernel code that comes and goes.
#pragma once

#include <string>
#include <vector>

#include "model/kernel_region.h"

namespace uwind {

class KernelRegions {
public:
	virtual ~KernelRegions() = default;

	// Begins to note what comes and goes. What cannot be noted: "modules" or "bpf", which is trampolines too; and
	// why.
	struct Unwatched {
		std::string kind, why;
	};
	virtual std::vector<Unwatched> watch() = 0;

	struct Present {
		std::uint64_t core_start = 0, core_end = 0; // the kernel's own code; 0: not known
		std::vector<KernelRegion> regions;
		std::vector<KernelModuleContent> modules;
	};
	virtual Present present() = 0;
	// Does beforehand what makes the next contents_of() quick.
	virtual void get_ready() = 0;
	// Of those modules that are there now.
	virtual std::vector<KernelModuleContent> contents_of(const std::vector<std::string>& modules) = 0;

	// What was noted since the last call, in order of time. Cheap if there is nothing.
	virtual std::vector<KernelRegionEvent> take() = 0;
	// Events that could not be noted, since the start.
	virtual std::uint64_t lost() const = 0;
};

} // namespace uwind
