// SPDX-License-Identifier: GPL-2.0
// The counters of a session, as the contract has them.
#pragma once

#include <vector>

#include "model/session.h"
#include "uwind.h"

namespace uwind {

// They point into the options, which must live as long, and into this. Not to be copied.
class DeviceCounters {
public:
	explicit DeviceCounters(const SessionOptions& options);
	DeviceCounters(const DeviceCounters&) = delete;
	DeviceCounters& operator=(const DeviceCounters&) = delete;

	const std::vector<uwind_counter>& list() const { return list_; }

private:
	std::vector<uwind_counter> list_;
	std::vector<std::vector<uwind_filter_step>> steps_; // of each
};

} // namespace uwind
