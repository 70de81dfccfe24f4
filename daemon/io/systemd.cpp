// SPDX-License-Identifier: GPL-2.0
// systemd as the supervisor: sd_notify(3) and its watchdog.
#include "io/systemd.h"

#include <algorithm>
#include <ctime>
#include <systemd/sd-daemon.h>

namespace uwind {
namespace {

std::uint64_t monotonic_us()
{
	timespec now{};
	::clock_gettime(CLOCK_MONOTONIC, &now);
	return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000;
}

// Sampling continues if a message to systemd fails.
void notify(const std::string& state)
{
	(void)::sd_notify(0, state.c_str());
}

} // namespace

// Four times as often as required, so that one late ping does not end the service.
Systemd::Systemd()
{
	std::uint64_t limit_us = 0;
	if (::sd_watchdog_enabled(0, &limit_us) > 0)
		ping_every_us_ = std::max<std::uint64_t>(limit_us / 4, 1);
}

void Systemd::ready()
{
	notify("READY=1");
}

void Systemd::reloading()
{
	notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic_us()));
}

void Systemd::stopping()
{
	notify("STOPPING=1");
}

// A newline would start another message.
void Systemd::status(const std::string& text)
{
	std::string line = text;
	std::ranges::replace(line, '\n', ' ');
	notify("STATUS=" + line);
}

void Systemd::alive()
{
	if (!ping_every_us_)
		return;
	const std::uint64_t now = monotonic_us();
	if (pinged_us_ && now - pinged_us_ < ping_every_us_)
		return;
	pinged_us_ = now;
	notify("WATCHDOG=1");
}

} // namespace uwind
