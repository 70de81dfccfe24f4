// SPDX-License-Identifier: GPL-2.0
// uwind kstack: the kernel's deepest stacks, and what each function takes of them.
#include <ostream>
#include <thread>

#include "app/kernel_stacks.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "events/functions.h"
#include "export/json.h"
#include "export/kernel_stacks.h"
#include "io/child.h"
#include "io/event_machine.h"
#include "io/kernel_stacks.h"
#include "io/machine.h"
#include "io/run_beside.h"
#include "io/stop_signals.h"

namespace uwind {
namespace {

constexpr std::uint32_t room_for_tasks = 1024;
constexpr std::size_t largest_frames_shown = 10;

struct KstackArguments {
	double duration_s = 0;
	std::string per = "entry";
	std::string functions;
	std::size_t top = 0; // 0: all, of tasks 10
	std::string output = "-";
	std::string format = "text";
	std::vector<std::string> command;
};

KernelStacksPer per_of(const KstackArguments& arguments)
{
	if (arguments.per == "task")
		return KernelStacksPer::task;
	return arguments.per == "cpu" ? KernelStacksPer::cpu : KernelStacksPer::entry;
}

Result<KernelStackOptions> options_of(const KstackArguments& arguments)
{
	EventMachine sources;
	KernelStackOptions options;
	options.tasks = per_of(arguments) == KernelStacksPer::task ? room_for_tasks : 0;
	if (arguments.functions.empty())
		return options;
	const auto event = parse_functions(sources, std::string(function_prefix) + arguments.functions);
	if (!event)
		return event.error();
	options.functions.assign(event->functions.begin(), event->functions.end());
	return options;
}

Report report_of(KernelStacks stacks, Machine& machine, std::uint64_t begin_ns)
{
	Report report;
	report.host = machine.processes.host();
	report.host.arch = name_of(machine.device->version().arch);
	report.host.abi = machine.device->version().abi;
	report.session.event = "kernel-stacks";
	report.session.rate = 1;
	report.session.duration_ns = machine.clock.boottime_ns() - begin_ns;
	report.session.started = rfc3339(std::time(nullptr) - std::int64_t(report.session.duration_ns / 1'000'000'000));
	report.session.target = "all";
	report.kernel_stacks = std::move(stacks);
	return report;
}

Status write(const KstackArguments& arguments, const Report& report)
{
	return write_to(arguments.output, [&](std::ostream& out) {
		if (arguments.format == "json")
			write_json(report, out);
		else
			write_kernel_stacks(*report.kernel_stacks, largest_frames_shown, out);
	});
}

Result<int> watch(const KstackArguments& arguments, StopSignals& signals, std::optional<Child>& child)
{
	const auto options = options_of(arguments);
	if (!options)
		return options.error();
	const auto machine = Machine::open();
	if (!machine)
		return machine.error();
	const std::uint64_t begin_ns = (*machine)->clock.boottime_ns();
	const auto kept = KernelStackWatch::start((*machine)->device->fd(), *options);
	if (!kept)
		return kept.error();
	auto exit_code = run_beside(child, signals, arguments.duration_s, [](auto time) {
		std::this_thread::sleep_for(time);
		return Status(Nothing{});
	});
	if (!exit_code)
		return exit_code.error();
	auto stacks = kept->read();
	if (!stacks)
		return stacks.error();
	const std::size_t tasks = per_of(arguments) == KernelStacksPer::task ? 10 : SIZE_MAX;
	select_kernel_stacks(*stacks, per_of(arguments), arguments.top ? arguments.top : tasks);
	name_kernel_stacks(*stacks, (*machine)->kernel_names);
	const auto written = write(arguments, report_of(std::move(*stacks), **machine, begin_ns));
	return written ? exit_code : written.error();
}

int kstack(const KstackArguments& arguments)
{
	auto signals = StopSignals::catch_them();
	if (!signals)
		return complain(signals.error());
	std::optional<Child> child;
	if (const auto refused = prepare_command(arguments.command, child))
		return *refused;
	const auto status = watch(arguments, *signals, child);
	return status ? *status : complain(status.error());
}

} // namespace

void add_kstack_command(CLI::App& app, int& exit_code, const std::vector<std::string>& command)
{
	auto* verb =
		app.add_subcommand("kstack", "Find the deepest stacks of the kernel, and the frames that take most.");
	const auto arguments = std::make_shared<KstackArguments>();
	arguments->command = command;
	verb->add_option("--duration", arguments->duration_s, "Stop after this many seconds")
		->check(CLI::PositiveNumber);
	verb->add_option("--per", arguments->per, "The deepest of each task, cpu or kind of entry")
		->check(CLI::IsMember({"task", "cpu", "entry"}))
		->capture_default_str();
	verb->add_option("--functions", arguments->functions,
			 "Look only where these functions are entered: names and patterns, with commas between them");
	verb->add_option("--top", arguments->top, "Show at most so many stacks")->check(CLI::PositiveNumber);
	verb->add_option("-o,--output", arguments->output, "Output file; - is standard output")->capture_default_str();
	verb->add_option("--format", arguments->format, "text or json")
		->check(CLI::IsMember({"text", "json"}))
		->capture_default_str();
	verb->callback([arguments, &exit_code] { exit_code = kstack(*arguments); });
}

} // namespace uwind
