// SPDX-License-Identifier: GPL-2.0
// uwind record: samples, then writes the JSON report.
#include <csignal>
#include <cstdio>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <thread>

#include "base/exit_code.h"
#include "cli/record_arguments.h"
#include "cli/table_cache_option.h"
#include "cli/verbs.h"
#include "export/json.h"
#include "export/summary.h"
#include "io/child.h"
#include "io/event_machine.h"
#include "io/output_file.h"
#include "io/stop_signals.h"
#include "wiring.h"

namespace uwind {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds look_around(100); // how often signals and the command are checked
constexpr milliseconds grace(2000);      // time for a command to end after a signal
constexpr int command_not_found = 127;

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
	bool stop_requested() { return signals_.arrived() != 0; }
	Status sample(Recording& recording, std::optional<Child>& child);
	Status wait_for_end(Recording& recording, std::optional<Child>& child);
	Status end_command(Recording& recording, Child& child);
	Status write(const Report& report, OutputFile& output);

	const RecordArguments& arguments_;
	RecordingOptions options_;
	StopSignals& signals_;
	Machine& machine_;
	ElfObjects objects_;
	CoreUnwinder unwinder_;
	bool cut_short_ = false; // ended by the duration or a signal
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
	if (auto prepared = recording.prepare([this] { return stop_requested(); }); !prepared)
		return prepared.error();
	if (auto sampled = sample(recording, child); !sampled)
		return sampled.error();
	const auto report = recording.finish();
	if (!report)
		return report.error();
	if (auto written = write(*report, *output); !written)
		return written.error();
	std::fprintf(stderr, "uwind: %s\n", closing_line(*report, arguments_.output).c_str());
	return child && !cut_short_ ? child->ended().value_or(exit_ok) : int(exit_ok);
}

Status Record::sample(Recording& recording, std::optional<Child>& child)
{
	if (auto enabled = recording.enable(); !enabled)
		return enabled;
	if (recording.user_only() && !options_.session.user_only)
		spdlog::warn(
			"only what runs in user mode is counted: without CAP_PERFMON, kernel.perf_event_paranoid or "
			"Linux 6.1 allows nothing else (-e EVENT:u asks for the same)");
	spdlog::debug("sampling has begun");
	if (child && !stop_requested())
		if (auto executed = child->execute(); !executed)
			return executed;
	if (auto waited = wait_for_end(recording, child); !waited)
		return waited;
	return child && !child->ended() ? end_command(recording, *child) : Status(Nothing{});
}

Status Record::wait_for_end(Recording& recording, std::optional<Child>& child)
{
	const std::uint64_t begin_ns = machine_.clock.boottime_ns();
	const auto duration_ns = static_cast<std::uint64_t>(arguments_.duration_s * 1e9);
	while (!(child && child->ended())) {
		const std::uint64_t elapsed_ns = machine_.clock.boottime_ns() - begin_ns;
		if (stop_requested() || (duration_ns && elapsed_ns >= duration_ns)) {
			cut_short_ = true;
			return Nothing{};
		}
		milliseconds time = look_around;
		if (duration_ns)
			time = std::min(time, milliseconds((duration_ns - elapsed_ns) / 1'000'000 + 1));
		if (auto taken = recording.run_for(time); !taken)
			return taken;
	}
	return Nothing{};
}

// Ends the command, which must not outlive its recording.
Status Record::end_command(Recording& recording, Child& child)
{
	child.send(signals_.arrived() ? signals_.arrived() : SIGTERM);
	for (milliseconds waited(0); !child.ended() && waited < grace; waited += look_around)
		if (auto taken = recording.run_for(look_around); !taken)
			return taken;
	if (child.ended())
		return Nothing{};
	child.send(SIGKILL);
	while (!child.ended())
		std::this_thread::sleep_for(milliseconds(10));
	return Nothing{};
}

Status Record::write(const Report& report, OutputFile& output)
{
	auto written = output.write([&](std::ostream& out) { write_json(report, out); });
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
	if (!arguments.command.empty()) {
		const auto program = find_program(arguments.command.front());
		if (!program) {
			complain(program.error());
			return command_not_found;
		}
		auto prepared = Child::prepare(*program, arguments.command);
		if (!prepared)
			return complain(prepared.error());
		child.emplace(std::move(*prepared));
	}
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
