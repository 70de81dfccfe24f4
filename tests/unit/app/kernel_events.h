// SPDX-License-Identifier: GPL-2.0
// Kernel code that comes and goes in tests.
#pragma once

#include "app/kernel_timeline.h"

namespace uwind {

inline KernelRegion module_region(const std::string& name, std::uint64_t start, std::uint64_t bytes = 0x1000)
{
	return {start, bytes, name, ""};
}

inline KernelRegion program_region(const std::string& name, std::uint64_t start, std::uint64_t bytes = 0x100)
{
	return {start, bytes, "bpf", name};
}

inline KernelRegionEvent comes(std::uint64_t time_ns, const KernelRegion& region)
{
	return {KernelRegionChange::comes, time_ns, region};
}

inline KernelRegionEvent goes(std::uint64_t time_ns, const KernelRegion& region)
{
	return {KernelRegionChange::goes, time_ns, region};
}

inline std::shared_ptr<const KernelSymbols>
symbols_of(std::initializer_list<std::pair<std::uint64_t, const char*>> named)
{
	auto symbols = std::make_shared<KernelSymbols>();
	for (const auto& [address, name] : named)
		symbols->add(address, name);
	return symbols;
}

} // namespace uwind
