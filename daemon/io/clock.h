// SPDX-License-Identifier: GPL-2.0
// The system's clocks.
#pragma once

#include <ctime>

#include "port/clock.h"

namespace uwind {

std::uint64_t clock_ns(clockid_t clock);

class SystemClock : public Clock {
public:
	std::uint64_t boottime_ns() override;
	std::int64_t seconds_since_1970() override;
	std::uint64_t processor_ns() override;
	std::uint64_t thread_processor_ns() override;
};

} // namespace uwind
