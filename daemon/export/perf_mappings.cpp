// SPDX-License-Identifier: GPL-2.0
// What processes of a report have mapped where, as far as perf has been told.
#include "export/perf_mappings.h"

#include <iterator>

namespace uwind {

// What is mapped over others ends them. What is left of such a one is told again when a frame needs it.
void PerfMappings::replace(std::map<std::uint64_t, Mapped>& mapped, const Mapped& mapping)
{
	auto next = mapped.lower_bound(mapping.address);
	if (next != mapped.begin() && std::prev(next)->first + std::prev(next)->second.bytes > mapping.address)
		--next;
	while (next != mapped.end() && next->first < mapping.address + mapping.bytes)
		next = mapped.erase(next);
	mapped[mapping.address] = mapping;
}

std::optional<Mapped> PerfMappings::needed(std::uint32_t pid, const ReportFrame& frame, std::uint64_t address)
{
	if (!frame.module)
		return std::nullopt;
	const Mapped mapping = files_.of(frame, address);
	auto& mapped = processes_[pid];
	if (const auto known = mapped.find(mapping.address); known != mapped.end() && known->second == mapping)
		return std::nullopt;
	replace(mapped, mapping);
	return mapping;
}

} // namespace uwind
