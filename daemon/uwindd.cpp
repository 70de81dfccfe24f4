// SPDX-License-Identifier: GPL-2.0
// The service uwindd: samples all processes and writes a JSON report per interval.
#include <CLI/CLI.hpp>
#include <exception>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/exit_code.h"
#include "export/json.h"
#include "io/report_folder.h"
#include "io/stop_signals.h"
#include "wiring.h"

namespace uwind {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_around(100); // how often signals are looked at

struct Arguments {
	std::string event = "cpu-clock";
	std::uint64_t frequency = 99;
	unsigned interval_s = 10;
	std::string folder = "/var/lib/uwind/reports";
	unsigned keep = 360;
	bool verbose = false;
};

// A disk may be full for a while: say so, and go on.
void store(ReportFolder& folder, const Report& report)
{
	const auto stored = folder.store(report.session.started, [&](std::ostream& out) { write_json(report, out); });
	if (!stored)
		spdlog::error("report of {} is lost: {}", report.session.started, stored.error().message);
	else
		spdlog::debug("report of {}: {} samples", report.session.started, report.samples.size());
}

Status serve(Recording& recording, ReportFolder& folder, StopSignals& signals, milliseconds interval)
{
	const auto stop = [&] { return signals.arrived() != 0; };
	if (auto prepared = recording.prepare(stop); !prepared)
		return prepared;
	if (auto enabled = recording.enable(); !enabled)
		return enabled;
	spdlog::info("sampling all processes");
	using Steady = std::chrono::steady_clock;
	auto due = Steady::now() + interval;
	while (!stop()) {
		if (auto taken = recording.run_for(look_around); !taken)
			return taken;
		if (Steady::now() < due)
			continue;
		due = std::max(due + interval, Steady::now());
		const auto report = recording.interval();
		if (!report)
			return report.error();
		store(folder, *report);
	}
	const auto report = recording.finish();
	if (!report)
		return report.error();
	store(folder, *report);
	return Nothing{};
}

RecordingOptions options_of(const Arguments& arguments)
{
	RecordingOptions options;
	options.session.event = arguments.event == "cycles" ? Event::cycles : Event::cpu_clock;
	options.session.rate = arguments.frequency;
	options.session.all = true;
	options.target = "all";
	return options;
}

Status run(const Arguments& arguments)
{
	auto signals = StopSignals::catch_them();
	if (!signals)
		return signals.error();
	auto folder = ReportFolder::open(arguments.folder, arguments.keep);
	if (!folder)
		return folder.error();
	const auto machine = Machine::open();
	if (!machine)
		return machine.error();
	raise_file_limit(open_files_wanted);
	FileTables tables;
	Recording recording(ports_of(**machine, tables), options_of(arguments));
	return serve(recording, *folder, *signals, std::chrono::seconds(arguments.interval_s));
}

void add_options(CLI::App& app, Arguments& arguments)
{
	app.set_version_flag("--version", "uwindd " UWIND_VERSION);
	app.add_option("--interval", arguments.interval_s, "Seconds that one report covers")
		->check(CLI::Range(1, 86'400))
		->capture_default_str();
	app.add_option("--dir", arguments.folder, "Where the reports go; made if missing")->capture_default_str();
	app.add_option("--keep", arguments.keep, "How many reports are kept")
		->check(CLI::Range(1, 1'000'000))
		->capture_default_str();
	app.add_option("-F,--frequency", arguments.frequency, "Samples per second of each CPU")
		->check(CLI::Range(1, 100'000))
		->capture_default_str();
	app.add_option("-e,--event", arguments.event, "What triggers a sample: cpu-clock or cycles")
		->check(CLI::IsMember({"cpu-clock", "cycles"}))
		->capture_default_str();
	app.add_flag("-v,--verbose", arguments.verbose, "Say what is met on the way");
}

int main_of_service(int argc, char** argv)
{
	Arguments arguments;
	CLI::App app("Samples the user-space call stacks of all processes.", "uwindd");
	add_options(app, arguments);
	try {
		app.parse(argc, argv);
	} catch (const CLI::ParseError& error) {
		return app.exit(error) == 0 ? exit_ok : exit_usage;
	}
	spdlog::set_default_logger(spdlog::stderr_logger_mt("uwindd"));
	spdlog::set_level(arguments.verbose ? spdlog::level::debug : spdlog::level::info);
	const auto status = run(arguments);
	if (status)
		return exit_ok;
	spdlog::error("{}", status.error().message);
	return exit_code_for(status.error());
}

} // namespace
} // namespace uwind

int main(int argc, char** argv)
{
	try {
		return uwind::main_of_service(argc, argv);
	} catch (const std::exception& error) {
		std::fprintf(stderr, "uwindd: internal error: %s\n", error.what());
		return uwind::exit_bug;
	}
}
