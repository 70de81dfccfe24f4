// SPDX-License-Identifier: GPL-2.0
// Times of a report since 1970.
#include "export/wall_clock.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace uwind {
namespace {

std::uint64_t first_time_ns(const Report& report)
{
	if (report.session.started_ns)
		return *report.session.started_ns;
	std::uint64_t first_ns = std::numeric_limits<std::uint64_t>::max();
	for (const ReportSample& sample : report.samples)
		first_ns = std::min(first_ns, sample.time_ns);
	return report.samples.empty() ? 0 : first_ns;
}

} // namespace

WallClock::WallClock(const Report& report)
{
	constexpr std::int64_t ns_of_s = 1'000'000'000, last = std::numeric_limits<std::int64_t>::max() / ns_of_s;
	const auto seconds = parse_rfc3339(report.session.started);
	if (!seconds || *seconds < 0 || *seconds > last)
		return;
	started_ns_ = static_cast<std::uint64_t>(*seconds * ns_of_s);
	offset_ns_ = started_ns_ - first_time_ns(report);
}

} // namespace uwind
