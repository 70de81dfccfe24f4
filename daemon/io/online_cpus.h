// SPDX-License-Identifier: GPL-2.0
// Which CPUs are online, and which come online later.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace uwind {

class OnlineCpus {
public:
	static constexpr std::chrono::milliseconds usual_patience{500};

	// path: the kernel's list of them. patience: the time between two looks at it.
	explicit OnlineCpus(std::string path = "/sys/devices/system/cpu/online",
			    std::chrono::milliseconds patience = usual_patience)
	    : path_(std::move(path)), patience_(patience)
	{
	}

	// All, in ascending order. An error of reading the list, or EPROTO: it has another form.
	Result<std::vector<std::uint32_t>> look();
	// Those that were not there when it was last looked at. Empty, too, if it was just now.
	std::vector<std::uint32_t> come();

private:
	using Clock = std::chrono::steady_clock;

	const std::string path_;
	const std::chrono::milliseconds patience_;
	std::vector<std::uint32_t> known_;
	Clock::time_point looked_;
};

} // namespace uwind
