// SPDX-License-Identifier: GPL-2.0
// What uwindd does from its start to its end: one recording after another, a
// report per interval, and settings that are read again on request.
#pragma once

#include <functional>
#include <memory>

#include "app/recording.h"
#include "model/settings.h"
#include "port/report_store.h"
#include "port/requests.h"
#include "port/supervisor.h"

namespace uwind {

// The ports of one recording. They are open as long as the object lives.
class Outside {
public:
	virtual ~Outside() = default;
	virtual Ports ports() = 0;
};

struct ServicePorts {
	Requests& requests;
	Supervisor& supervisor;
	ReportStore& reports;
	std::function<Result<std::unique_ptr<Outside>>(const Settings&)> open;
	std::function<Result<Settings>()> read_settings;
	std::function<std::string(const Report&)> describe; // a report, in one line
};

class Service {
public:
	Service(ServicePorts ports, Settings settings);

	// Until it is asked to stop, or until an error of the module.
	Status run();

private:
	Status record();
	Status sample(Recording& recording, Clock& clock);
	Status store(const Result<Report>& report);
	// True: the new settings need a new recording.
	bool reload();
	Status adopt(const Settings& wanted);
	Status try_session(const Settings& wanted);

	ServicePorts ports_;
	Settings settings_;
};

} // namespace uwind
