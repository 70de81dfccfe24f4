// SPDX-License-Identifier: GPL-2.0
// The system's clocks.
#include "io/clock.h"

namespace uwind {

std::uint64_t clock_ns(clockid_t clock)
{
	timespec now{};
	::clock_gettime(clock, &now);
	return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t SystemClock::boottime_ns()
{
	return clock_ns(CLOCK_BOOTTIME);
}

std::int64_t SystemClock::seconds_since_1970()
{
	return ::time(nullptr);
}

std::uint64_t SystemClock::processor_ns()
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

std::uint64_t SystemClock::thread_processor_ns()
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace uwind
