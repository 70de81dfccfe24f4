// SPDX-License-Identifier: GPL-2.0
// The system's clocks.
#pragma once

#include "port/clock.h"

namespace uwind {

class SystemClock : public Clock {
public:
	std::uint64_t boottime_ns() override;
	std::int64_t seconds_since_1970() override;
};

} // namespace uwind
