// SPDX-License-Identifier: GPL-2.0
// What uwindd does from its start to its end.
#include "app/service.h"

#include <algorithm>
#include <spdlog/spdlog.h>

#include "base/cpu_list.h"

namespace uwind {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_around(100); // how often requests are checked
constexpr std::uint64_t ns_per_s = 1'000'000'000;
constexpr unsigned max_named_files = 20; // whose tables cannot be kept

RecordingOptions options_of(const Settings& settings)
{
	RecordingOptions options;
	options.session.event = settings.event;
	options.session.rate = settings.frequency;
	options.session.all = true;
	options.session.cgroup = settings.cgroup;
	options.session.cpus = settings.cpus;
	options.session.stack_bytes = settings.stack_bytes;
	options.session.max_frames = settings.max_depth == default_frames ? 0 : settings.max_depth;
	options.target = "all";
	return options;
}

// "all processes: cpu-clock, 99 Hz"
std::string in_words(const Settings& settings)
{
	std::string text = "all processes";
	if (!settings.cgroup.empty())
		text += " of the cgroup " + settings.cgroup;
	if (!settings.cpus.empty())
		text += " on the CPUs " + text_of_cpus(settings.cpus);
	return text + ": " + name_of(settings.event) + ", " + std::to_string(settings.frequency) + " Hz";
}

bool same_session(const Settings& one, const Settings& other)
{
	return one.event == other.event && one.frequency == other.frequency && one.cgroup == other.cgroup &&
	       one.cpus == other.cpus && one.max_depth == other.max_depth && one.stack_bytes == other.stack_bytes &&
	       one.table_cache == other.table_cache;
}

void set_log_level(const Settings& settings)
{
	spdlog::set_level(settings.verbose ? spdlog::level::debug : spdlog::level::info);
}

} // namespace

Service::Service(ServicePorts ports, Settings settings) : ports_(std::move(ports)), settings_(std::move(settings)) {}

Status Service::run()
{
	set_log_level(settings_);
	if (auto opened = ports_.reports.open(settings_.folder, settings_.keep); !opened)
		return opened;
	do {
		if (auto recorded = record(); !recorded)
			return recorded;
	} while (!ports_.requests.stop());
	return Nothing{};
}

// One recording: until the service ends, or until its session's settings change.
Status Service::record()
{
	auto outside = ports_.open(settings_);
	if (!outside)
		return outside.error();
	const Ports machine = (*outside)->ports();
	BackgroundKeeper keeper(machine.threads, machine.clock);
	Recording recording(machine, options_of(settings_));
	const auto stop = [this] {
		ports_.supervisor.alive();
		return ports_.requests.stop();
	};
	if (auto prepared = recording.prepare(stop); !prepared)
		return prepared;
	if (auto enabled = recording.enable(); !enabled)
		return enabled;
	spdlog::info("sampling {}", in_words(settings_));
	ports_.supervisor.ready();
	Running running{**outside, machine.clock, recording, keeper};
	keep_tables(running);
	Status sampled = sample(running);
	keeper.stop();
	if (!sampled)
		return sampled;
	if (ports_.requests.stop())
		ports_.supervisor.stopping();
	return store(recording.finish(), running);
}

// From the beginning. What is broken is named by the first lines only.
void Service::keep_tables(Running& running)
{
	if (settings_.keep_tables.empty())
		return running.keeper.begin(nullptr);
	running.keeper.begin([paths = settings_.keep_tables, &outside = running.outside](
				     std::int64_t changed_since_s) -> Result<std::unique_ptr<TableKeeper>> {
		auto keeping = outside.keeping(paths, changed_since_s);
		if (!keeping)
			return keeping.error();
		const auto complain = [complaints = 0u](const Error& error) mutable {
			const bool named = complaints++ < max_named_files;
			spdlog::log(named ? spdlog::level::warn : spdlog::level::debug, "{}", error.message);
		};
		return std::make_unique<TableKeeper>(std::move(keeping->objects), std::move(keeping->files), complain);
	});
}

Status Service::sample(Running& running)
{
	std::uint64_t begun = running.clock.boottime_ns();
	while (!ports_.requests.stop()) {
		ports_.supervisor.alive();
		if (ports_.requests.take_reload() && reload(running))
			return Nothing{};
		if (auto taken = running.recording.run_for(look_around); !taken)
			return taken;
		running.keeper.hold(running.recording.is_making_tables());
		if (running.keeper.take_ended())
			running.outside.give_back_memory();
		const std::uint64_t now = running.clock.boottime_ns(), due = begun + settings_.interval_s * ns_per_s;
		if (now < due)
			continue;
		// Late by an interval or more: no burst of reports.
		begun = now - due < settings_.interval_s * ns_per_s ? due : now;
		if (auto stored = store(running.recording.interval(), running); !stored)
			return stored;
	}
	return Nothing{};
}

// A report that cannot be stored, as on a full disk, is logged; sampling continues.
Status Service::store(const Result<Report>& report, const Running& running)
{
	if (!report)
		return report.error();
	if (const auto stored = ports_.reports.store(*report); !stored)
		spdlog::error("report of {} is lost: {}", report->session.started, stored.error().message);
	std::string figures = ports_.describe(*report);
	spdlog::debug("report of {}: {}", report->session.started, figures);
	if (const auto kept = running.keeper.kept())
		figures += "; " + std::to_string(kept) + " tables kept ahead";
	ports_.supervisor.status(figures);
	return Nothing{};
}

bool Service::reload(Running& running)
{
	ports_.supervisor.reloading();
	const auto wanted = ports_.read_settings();
	const bool restart = wanted && !same_session(*wanted, settings_);
	const Status adopted = wanted ? adopt(*wanted) : Status(wanted.error());
	if (!adopted)
		spdlog::error("the configuration is not changed: {}", adopted.error().message);
	else
		spdlog::info("the configuration was read again");
	if (adopted && restart)
		return true;
	if (adopted)
		keep_tables(running);
	ports_.supervisor.ready();
	return false;
}

// Adopts all settings, or none of them.
Status Service::adopt(const Settings& wanted)
{
	if (!same_session(wanted, settings_))
		if (auto tried = try_session(wanted); !tried)
			return tried;
	if (wanted.folder != settings_.folder || wanted.keep != settings_.keep)
		if (auto opened = ports_.reports.open(wanted.folder, wanted.keep); !opened)
			return opened;
	settings_ = wanted;
	set_log_level(settings_);
	return Nothing{};
}

// Whether the module accepts a session with these settings. The running session
// continues; this one never counts, and ends with its device.
Status Service::try_session(const Settings& wanted)
{
	auto outside = ports_.open(wanted);
	if (!outside)
		return outside.error();
	const auto session = (*outside)->ports().kernel.start_session(options_of(wanted).session);
	return session ? Status(Nothing{}) : Status(session.error());
}

} // namespace uwind
