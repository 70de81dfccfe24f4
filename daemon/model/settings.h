// SPDX-License-Identifier: GPL-2.0
// What the service is to do: its configuration, whoever gave it.
#pragma once

#include <cstdint>
#include <string>

#include "model/session.h"

namespace uwind {

struct Settings {
	unsigned interval_s = 10; // what one report covers
	std::string folder = "/var/lib/uwind/reports";
	unsigned keep = 360; // reports
	std::uint64_t frequency = 99;
	Event event = Event::cpu_clock;
	bool verbose = false;
};

} // namespace uwind
