// SPDX-License-Identifier: GPL-2.0
// The system's clocks.
#pragma once

#include <cstdint>
#include <ctime>

#include "port/clock.h"

namespace uwind {

// Of a clock, or of a file.
constexpr std::int64_t ns_of(const timespec& time)
{
	return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

class SystemClock : public Clock {
public:
	std::uint64_t boottime_ns() override;
	std::int64_t seconds_since_1970() override;
};

} // namespace uwind
