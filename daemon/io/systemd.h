// SPDX-License-Identifier: GPL-2.0
// systemd as the supervisor: sd_notify(3) and its watchdog. Does
// nothing if another program started the service.
#pragma once

#include <cstdint>

#include "port/supervisor.h"

namespace uwind {

class Systemd : public Supervisor {
public:
	// Reads WATCHDOG_USEC.
	Systemd();

	void ready() override;
	void reloading() override;
	void stopping() override;
	void status(const std::string& text) override;
	void alive() override;

private:
	std::uint64_t ping_every_us_ = 0; // 0: systemd expects no signs of life
	std::uint64_t pinged_us_ = 0;     // CLOCK_MONOTONIC
};

} // namespace uwind
