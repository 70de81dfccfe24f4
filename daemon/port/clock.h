// SPDX-License-Identifier: GPL-2.0
// Time.
#pragma once

#include <cstdint>

namespace uwind {

class Clock {
public:
	virtual ~Clock() = default;

	virtual std::uint64_t boottime_ns() = 0; // CLOCK_BOOTTIME, as in records
	virtual std::int64_t seconds_since_1970() = 0;
	virtual std::uint64_t processor_ns() = 0;        // that this process has used, in the kernel, too
	virtual std::uint64_t thread_processor_ns() = 0; // that this thread has used
};

} // namespace uwind
