// SPDX-License-Identifier: GPL-2.0
// What formats have no place for.
#include "export/losses.h"

namespace uwind {

Reasons lost_requests(const Report& report)
{
	Reasons reasons = report.counters.lost;
	reasons["pending"] = report.counters.pending;
	std::erase_if(reasons, [](const auto& reason) { return reason.second == 0; });
	return reasons;
}

Reasons incomplete_stacks(const Report& report)
{
	Reasons reasons = report.counters.stops;
	std::erase_if(reasons, [](const auto& reason) {
		const auto stop = stop_named(reason.first);
		return reason.second == 0 || (stop && is_complete(*stop));
	});
	return reasons;
}

} // namespace uwind
