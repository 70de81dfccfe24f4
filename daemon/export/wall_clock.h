// SPDX-License-Identifier: GPL-2.0
// Times of a report since 1970.
#pragma once

#include <cstdint>

#include "model/report.h"

namespace uwind {

// As right as when the recording began is known: to the second. Of older reports, it began with their first sample.
class WallClock {
public:
	explicit WallClock(const Report& report);

	std::uint64_t started_ns() const { return started_ns_; } // since 1970; 0: not known
	std::uint64_t since_1970(std::uint64_t time_ns) const { return time_ns + offset_ns_; }

private:
	std::uint64_t started_ns_ = 0;
	std::uint64_t offset_ns_ = 0; // modulo 2^64
};

} // namespace uwind
