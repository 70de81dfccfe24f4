// SPDX-License-Identifier: GPL-2.0
// uwind record: samples, then writes the JSON report.
#include <cstdio>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/record_arguments.h"
#include "cli/table_cache_option.h"
#include "cli/verbs.h"
#include "export/summary.h"
#include "io/child.h"
#include "io/event_machine.h"
#include "io/output_file.h"
#include "io/run_beside.h"
#include "io/stop_signals.h"
#include "wiring.h"

namespace uwind {
namespace {

// One recording, from the open machine to the written file.
class Record {
public:
	Record(const RecordArguments& arguments, RecordingOptions options, StopSignals& signals, Machine& machine)
	    : arguments_(arguments), options_(std::move(options)), signals_(signals), machine_(machine),
	      objects_(objects_with(table_cache_of(arguments.table_cache)))
	{
	}

	Result<int> run(std::optional<Child>& child);

private:
	Result<int> sample(Recording& recording, std::optional<Child>& child);
	Status write(const Report& report, OutputFile& output);

	const RecordArguments& arguments_;
	RecordingOptions options_;
	StopSignals& signals_;
	Machine& machine_;
	ElfObjects objects_;
	CoreUnwinder unwinder_;
};

Result<int> Record::run(std::optional<Child>& child)
{
	auto output = OutputFile::create(arguments_.output, 0600, OutputFile::Older::keep_as_old);
	if (!output)
		return output.error();
	if (child) {
		options_.session.targets = {child->pid()};
		if (const auto program = find_program(arguments_.command.front()))
			options_.program = *program;
	}
	Recording recording(ports_of(machine_, objects_, unwinder_), options_);
	if (auto prepared = recording.prepare([this] { return signals_.stop(); }); !prepared)
		return prepared.error();
	auto exit_code = sample(recording, child);
	if (!exit_code)
		return exit_code;
	const auto report = recording.finish();
	if (!report)
		return report.error();
	if (auto written = write(*report, *output); !written)
		return written.error();
	std::fprintf(stderr, "uwind: %s\n", closing_line(*report, arguments_.output).c_str());
	return exit_code;
}

Result<int> Record::sample(Recording& recording, std::optional<Child>& child)
{
	if (auto enabled = recording.enable(); !enabled)
		return enabled.error();
	if (recording.user_only() && !options_.session.user_only)
		spdlog::warn(
			"only what runs in user mode is counted: without CAP_PERFMON, kernel.perf_event_paranoid or "
			"Linux 6.1 allows nothing else (-e EVENT:u asks for the same)");
	for (const auto& [kind, why] : recording.unwatched())
		spdlog::warn("{} that come or go are not watched, and are named as they are at the end: {}",
			     kind == "bpf" ? "BPF programs" : "kernel modules", why);
	spdlog::debug("sampling has begun");
	return run_beside(child, signals_, arguments_.duration_s, [&](auto time) { return recording.run_for(time); });
}

Status Record::write(const Report& report, OutputFile& output)
{
	auto written = output.write([&](std::ostream& out) { writer_of(arguments_.output)(report, out); });
	return written ? output.commit() : written;
}

int record(const RecordArguments& arguments)
{
	spdlog::set_default_logger(spdlog::stderr_logger_mt("uwind"));
	spdlog::set_level(arguments.verbose ? spdlog::level::debug : spdlog::level::warn);
	EventMachine sources;
	auto options = options_of(arguments, sources);
	if (!options)
		return complain(options.error());
	auto signals = StopSignals::catch_them();
	if (!signals)
		return complain(signals.error());
	const auto machine = Machine::open();
	if (!machine)
		return complain(machine.error());
	std::optional<Child> child;
	if (const auto refused = prepare_command(arguments.command, child))
		return *refused;
	raise_file_limit(open_files_wanted);
	const auto status = Record(arguments, std::move(*options), *signals, **machine).run(child);
	return status ? *status : complain(status.error());
}

} // namespace

void add_record_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command)
{
	auto* verb = app.add_subcommand("record", "Sample processes, or a command, and write a JSON report.");
	const auto arguments = std::make_shared<RecordArguments>();
	arguments->command = command;
	add_record_options(*verb, *arguments);
	verb->callback([arguments, &exit_code] { exit_code = record(*arguments); });
}

} // namespace uwind
