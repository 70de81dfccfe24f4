// SPDX-License-Identifier: GPL-2.0
// The system's clocks.
#include "io/clock.h"

namespace uwind {

std::uint64_t SystemClock::boottime_ns()
{
	timespec now{};
	::clock_gettime(CLOCK_BOOTTIME, &now);
	return static_cast<std::uint64_t>(ns_of(now));
}

std::int64_t SystemClock::seconds_since_1970()
{
	return ::time(nullptr);
}

} // namespace uwind
