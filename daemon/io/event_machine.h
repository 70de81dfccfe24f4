// SPDX-License-Identifier: GPL-2.0
// This machine's events: sysfs, tracefs, perf_event_open(2), ELF files.
#pragma once

#include "port/event_sources.h"

namespace uwind {

class EventMachine : public EventSources {
public:
	Result<std::string> read(const std::string& path) override;
	Result<std::vector<std::string>> list(const std::string& folder) override;
	Result<std::string> tracing() override;
	Status try_event(const EventSpec& event) override;
	Result<ProbeFile> probe_file(const std::string& path) override;
};

} // namespace uwind
