// SPDX-License-Identifier: GPL-2.0
// What uwindd does from its start to its end: one recording after another, a
// report per interval, and settings that are read again on request.
#pragma once

#include <functional>
#include <memory>

#include "app/background_keeper.h"
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
	// What keeps tables of the files at and below these paths that were changed since then (seconds since 1970).
	struct Keeping {
		std::shared_ptr<Objects> objects;
		std::unique_ptr<ProgramFiles> files;
	};
	virtual Result<Keeping> keeping(const std::vector<std::string>& paths, std::int64_t changed_since_s) = 0;
	// To the system: memory that was freed, but is still held.
	virtual void give_back_memory() = 0;
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
	struct Running {
		Outside& outside;
		Clock& clock;
		Recording& recording;
		BackgroundKeeper& keeper;
	};

	Status record();
	Status sample(Running& running);
	Status store(Result<Report> (Recording::*take)(), const Running& running);
	// Processor time since the last report: all that the service has used, and what this report took of it.
	std::string cost_in_words(Clock& clock, std::uint64_t report_ns);
	void keep_tables(Running& running);
	// True: the new settings need a new recording.
	bool reload(Running& running);
	Status adopt(const Settings& wanted);
	Status try_session(const Settings& wanted);

	ServicePorts ports_;
	Settings settings_;
	std::uint64_t processor_ns_ = 0; // at the last report
};

} // namespace uwind
